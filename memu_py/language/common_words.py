"""English words that are no names, although a sentence may begin with them."""

from memu_py.language.wordlist import words

FUNCTION_WORDS = words(
    """
    i you he she it we they me him her us them my your his its our their mine yours hers ours theirs myself
    yourself himself herself itself ourselves yourselves themselves this that these those who whom whose
    which what when where why how a an the and or but nor so yet if unless until till while because since
    although though than as at by for from in into of off on onto out over to under up with within without
    about above across after against along among around before behind below beside between beyond despite
    down during except inside like near past per through throughout toward towards via am is are was were be
    been being do does did done have has had having will would shall should can could may might must ought
    not no yes yeah yep yup nope nah ok okay oh ah aw aww hey hi hello hiya wow whoa ugh hmm huh uh um yay
    ouch oops haha hahaha lol omg btw lmao rofl imo imho tbh idk fyi asap aka etc thanks thank thx please
    sorry congrats congratulations cheers welcome bye goodbye there here then now too also just only even
    still already ever never always often sometimes usually again soon later maybe perhaps very really quite
    rather almost i'm i've i'd i'll you're you've you'd you'll he's she's it's we're we've we'd we'll
    they're they've they'd they'll that's there's here's what's who's where's how's when's why's let's don't
    doesn't didn't isn't aren't wasn't weren't haven't hasn't hadn't won't wouldn't can't cannot couldn't
    shouldn't ain't gonna wanna gotta dunno lemme gimme y'all ya yo im ive dont cant
    """
)
"""Words of the grammar, and what is said in passing."""

COMMON_WORDS = FUNCTION_WORDS | words(
    """
    able absolutely access according action actually add adding advice afternoon age agree all alone alright
    amazing another any anyone anything anyway apart apparently art ask at least attached average awesome
    awful baby back bad based basically beautiful became become began best bet better big birthday bit black
    blue body book books both boy brand break breakfast bring brother brown build business busy buy call
    called came camera camping car care cat catch certainly chance change check child children choose city
    class clean clear close clothes club coffee cold college color come coming compared completely consider
    considering cook cooking cool correct could country couple course cousin crazy create creative current
    currently cute dad daily dance date daughter day days dear decided deep definitely depends different
    dinner doctor dog dogs doing drink drive drop due dude each early earlier easy eat eating either else
    email end english enjoy enjoying enough especially evening eventually every everybody everyone
    everything exactly example exciting excited exercise experience face fact fair fall family fantastic far
    fast father favorite feel feeling feels few field file finally find fine first five flowers focus folks
    following food football former fortunately found four free friend friends frequently full fun funny
    future game games garden gave generally get getting girl girls give given giving glad go going gone good
    got grandma grandpa great green group grow guess guitar guy guys half happened happy hard hate head
    health hear heard heart help helping hence here high hiking hold holiday home honestly hope hopefully
    hoping hot hour house however huge hundred husband idea ideally imagine important including incredible
    indeed indoor initially instead interesting inspired job join joined kid kids kind knew know knowing
    known last lately laugh learn learned learning leave left less lesson lets life light likewise listen
    little live living local long look looking looks lost lot lots love loved loves loving lovely luckily
    lunch made main make makes making man many matter mean means meanwhile meet memories mention met mind
    mom moment money month months more morning most mostly mother mountain move moved moving mum much music
    name natural nature nearly need needless neither new news next nice night nine none nobody normal
    normally note nothing notice number obviously occasionally old once one ones open originally other
    others otherwise outdoor outside overall own paint painting pals parents part people perfect person
    personal personally pet pets phone photo pic picture pictures pizza place places plan planning plans
    play played playing plus possible practice pretty previously probably problem project proud put question
    quick quickly quiet rain ran random read reading ready real reason recently red regarding relax remember
    reminds research rest right road room run running sad safe said same saw say saying school science see
    seeing seems seen self sell send seriously set seven several share sharing short show shows simple
    simply sister six sleep slow small smart snow some somebody someone something somehow somewhat somewhere
    son song soon sound sounds space special specifically speaking spend spent sports spring start started
    starting stay staying step stick stop story strange street strong student students study stuff such
    summer sun super supportive suppose sure surprisingly surely sweet swimming take taken taking talk
    talked talking teach teacher team tell ten terrible test thing things think thinking thought three time
    times tiny tired today together told tomorrow tonight took top totally touch town travel traveling treat
    tree trip true truly trust try trying turn turned turns two type ultimately uncle understand
    unfortunately unique until update use used using usual various view visit visited wait waiting walk
    walking want wanted warm wash watch watched watching water way weather week weekend weekends weeks well
    went wet whatever whenever wherever whether white whichever whoever whole wife wild win winter wish
    woman women won wonder wonderful word words work worked working works world worth write writing wrong
    year years yesterday young keep keeping kudos bravo hooray gosh geez bro sis buddy mate gotcha phew woah
    ooh eek yikes hurray cheers kinda sorta whatcha howdy greetings god goodness heck damn hell thanksgiving
    christmas easter halloween weekly monthly yearly alternatively additionally moreover furthermore
    therefore thus nevertheless nonetheless afterwards besides anyways somedays someday anytime user
    assistant system tool todo done result results summary input output error warning lol ha hah wassup sup
    bless fingers crossed count sending sent hugs let oof mmm mm woohoo woo-hoo yoohoo yum darn c'mon awww
    """
)
"""Frequent words, which a sentence may begin with."""

OPENING_WORDS = COMMON_WORDS | words(
    """
    appreciate hang chat progress moments yoga challenges events pottery stories struggles thoughts
    basketball weddings conversations animals creativity mental spill expression respect quality meal
    laughter support speak felt community domestic shadow strength assignments everywhere visual balance
    injury confident exams difficult epic users deadlines push resources tutorials mistakes believe
    celebrate doctors tough treasure embrace helps hiccups consistency tons trips gather takes perseverance
    movie moviemaking wall pub everyday coworkers colleagues nurses teachers veggies horses unconditional
    bon appetit voyage
    """
)
"""Words that often open a sentence, and so are no names there."""

ADJECTIVES = words(
    """
    tough intense nearby popular tasty cozy recent particular single large basic complex existing bigger
    healthy healthier favourite favorite fave standout thrilling inspiring educational specific total
    reliable peaceful professional rundown final major minor tiny giant daily usual entire regular serious
    proper
    """
)
"""Words that say how a thing is and so make no name with it."""

VERB_LIKE_ENDINGS = tuple(
    words("ing ed ly ness tion ful less ous able ible ish ive ity ment ments ship hood ism")
)
"""A word with one of these endings at the start of a sentence is hardly a name."""

COMPOUND_HEADS = words(
    """
    group club class course workshop lesson band choir team league tournament match game marathon race
    festival concert parade conference convention meetup retreat camp program programme project company
    startup business store shop studio gallery museum theater theatre cinema library park garden zoo beach
    lake mountain trail restaurant cafe bakery bar pub hotel hospital clinic center centre shelter church
    school college university academy institute agency office station airport book novel album movie film
    series show podcast blog channel app console guitar violin piano drums bike necklace recipe cake soup
    salad surgery therapy exam test degree certificate award scholarship internship interview allergy diet
    """
)
"""Nouns that make a compound with the words before them: pottery class, LGBTQ support group."""
