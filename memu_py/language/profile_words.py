"""Words by which a person is told: trades, languages, relatives, animals, instruments."""

from memu_py.language.wordlist import words

TRADES = words(
    """
    accountant actor actress actuary analyst anesthesiologist architect artist attorney auditor author baker
    banker barber barista bartender beekeeper biologist blacksmith bookkeeper botanist bricklayer broker builder
    butcher carer carpenter cashier chef chemist chiropractor cleaner coach cobbler columnist composer conductor
    consultant contractor counselor counsellor curator dancer data-scientist dentist dermatologist designer
    detective developer dietitian diplomat doctor driver economist editor electrician engineer entrepreneur
    farmer firefighter fisherman florist freelancer gardener geologist goldsmith hairdresser historian
    housekeeper illustrator influencer instructor interpreter investor janitor jeweler jeweller joiner
    journalist judge landscaper lawyer lecturer librarian lifeguard linguist locksmith logistician machinist
    manager mason mathematician mechanic meteorologist midwife miner musician nanny neurologist notary novelist
    nurse nutritionist optician painter paramedic pastor pediatrician pharmacist philosopher photographer
    physician physicist physiotherapist pianist pilot plumber poet policeman policewoman politician porter
    priest producer professor programmer psychiatrist psychologist publisher radiologist realtor receptionist
    recruiter reporter researcher roofer sailor salesman salesperson saleswoman scientist sculptor secretary
    seamstress shepherd shoemaker singer sociologist soldier solicitor statistician stewardess steward
    stonemason student surgeon surveyor tailor teacher technician therapist translator treasurer tutor
    veterinarian vet videographer violinist waiter waitress watchmaker welder winemaker writer zoologist
    housewife homemaker pensioner
    """
)
NO_TRADE = words(
    """
    former ex aspiring wannabe future bad good great terrible horrible awful huge big better worse best worst
    amateur hobby natural born quick slow fast heavy light careful careless safe lousy decent pretty total real
    early typical lazy not never no different nervous only
    """
)
LANGUAGES = words(
    """
    arabic bengali bulgarian burmese cantonese catalan chinese croatian czech danish dutch english estonian
    farsi finnish french georgian german greek hebrew hindi hungarian icelandic indonesian irish italian
    japanese khmer korean latin latvian lithuanian malay mandarin mongolian nepali norwegian persian polish
    portuguese punjabi romanian russian serbian slovak slovene slovenian somali spanish swahili swedish tagalog
    tamil telugu thai tibetan turkish ukrainian urdu vietnamese welsh yiddish zulu
    """
)
ONLY_ONE = words(
    "wife husband partner spouse girlfriend boyfriend fiancé fiancée fiance fiancee mother mom mum father dad"
)
SEVERAL = words(
    """
    son daughter brother sister grandmother grandma grandfather grandpa uncle aunt cousin nephew niece grandson
    granddaughter twin stepson stepdaughter stepbrother stepsister
    """
)
ANIMALS = words(
    """
    dog puppy cat kitten hamster rabbit bunny parrot budgie canary turtle tortoise goldfish snake lizard gecko
    ferret horse pony guinea-pig rat mouse hedgehog chinchilla iguana cockatiel
    """
)
INSTRUMENTS = words(
    """
    piano guitar violin viola cello flute clarinet saxophone trumpet trombone drums harp accordion ukulele banjo
    oboe bassoon bass mandolin harmonica keyboard organ tuba
    """
)

CHINESE_TRADES = (
    "护士|医生|大夫|老师|教师|程序员|律师|会计|学生|研究生|大学生|司机|厨师|记者|警察|军人|作家|画家|演员|歌手|经理|"
    "销售|翻译|教授|研究员|公务员|护工|农民|工人|商人|科学家|音乐家|导演|编辑|主播|导游|店长|快递员|家庭主妇|飞行员|"
    "工程师|设计师|建筑师|药剂师|理发师|摄影师|分析师|咨询师|架构师|裁缝|木匠|电工|兽医|牙医|博士生|产品经理|空姐"
)
CHINESE_RELATIVES = "妻子|老婆|太太|爱人|丈夫|老公|男朋友|女朋友|妈妈|母亲|爸爸|父亲"
CHINESE_SEVERAL = "儿子|女儿|哥哥|弟弟|姐姐|妹妹|爷爷|奶奶|外公|外婆"
CHINESE_ANIMALS = "狗|猫|兔子|仓鼠|鹦鹉|乌龟|金鱼|鱼|鸟|马|刺猬|蜥蜴"
CHINESE_LANGUAGES = (
    "中文|汉语|普通话|粤语|英语|英文|法语|法文|德语|德文|日语|日文|韩语|韩文|俄语|西班牙语|葡萄牙语|意大利语|"
    "阿拉伯语|泰语|越南语|荷兰语|瑞典语|波兰语|土耳其语|印地语|闽南语|上海话|四川话|客家话"
)
