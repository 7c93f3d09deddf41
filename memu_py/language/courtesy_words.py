"""Phrases of courtesy, as regular expressions: a blank stands for white space, perhaps with a comma."""

from typing import Literal

CourtesyKind = Literal["greeting", "farewell", "answer", "acknowledgement"]

_PRAISE = (
    "sweet|great|awesome|amazing|cool|nice|good|wonderful|fantastic|lovely|beautiful|incredible|inspiring|"
    "interesting|exciting|funny|hilarious|adorable|cute|gorgeous|perfect|brilliant|impressive|fun|terrible|"
    "awful|sad|tough|crazy|wild|true|right|fair|kind|thoughtful|touching|okay|ok|fine|alright|excellent|superb|"
    "neat|stunning|unreal|insane|dope|rough|unfortunate|heartbreaking|helpful|fascinating|delightful|super|bad|"
    "odd|weird|strange|hard|scary|frustrating|understandable|encouraging|heartwarming|so kind|the best|"
    "a great idea|a good idea|a good point|a great point|a shame|a pity"
)
_VERY = "(?:so|really|very|pretty|absolutely|truly|just|totally|super|quite|such|always|too) "
_FOR_WHAT = (
    "(?:everything|that|this|it|asking|sharing|listening|understanding|letting me know|being there|having me|"
    "(?:(?:the|your|all the|all your|this|that) )?(?:(?:great|kind|nice|helpful|lovely|good|amazing) )?"
    "(?:help|support|info|information|advice|tips?|words|encouragement|update|invite|invitation|offer|feedback|"
    "recommendations?|suggestions?|reminder|compliment|heads up|answer|reply|chat|talk|motivation|concern|love))"
)
_YOU = (
    "(?:to (?:see|hear from|meet|chat with|talk to|talk with|catch up with)|seeing|hearing from|meeting|"
    "chatting with|talking to) you"
)

ENGLISH_COURTESIES: dict[CourtesyKind, tuple[str, ...]] = {
    "greeting": (
        "(?:hey|hi|hello)(?: there| again| everyone| all| guys)?",
        "hiya|howdy|yo|greetings|welcome(?: back)?|sup|wassup",
        "good (?:morning|afternoon|evening|day)",
        "(?:what's|whats|what is) (?:up|new|good)",
        f"(?:it's |it is |its )?(?:{_VERY})*(?:good|great|nice|lovely|wonderful|awesome) {_YOU}(?: again| too)?",
        "long time no (?:see|talk|chat|speak)",
        "(?:it's |it has )?been (?:a while|ages|so long|forever|a long time|too long)",
        "(?:i )?hope (?:you're|you are|all is|everything is|everything's) (?:doing |going )?"
        "(?:well|okay|ok|good|great|fine)",
        "happy (?:new year|holidays|birthday)|merry christmas",
    ),
    "farewell": (
        "bye(?: bye| for now)?|bye-bye|goodbye|good bye|farewell|ciao|ttyl|later|cheers|until next time",
        "(?:see|catch) (?:you|ya|u)(?: later| soon| around| then| there)?",
        "good night(?: everyone)?|goodnight|sleep (?:well|tight)|sweet dreams",
        "take care(?: of yourself)?|stay safe",
        "(?:i'll )?(?:talk|speak|chat)(?: to you| with you)? (?:soon|later|again soon)",
        "have an? (?:(?:really|very) )?(?:good|great|nice|lovely|wonderful|amazing|awesome|fun|safe) "
        "(?:day|one|evening|night|weekend|week|time|trip|flight|rest of your day)",
        "enjoy (?:your|the) (?:day|evening|night|weekend|trip|meal|time)",
    ),
    "answer": (
        "yes|yeah|yep|yup|ya|aye|no|nope|nah|right|exactly|absolutely|definitely|totally|certainly|indeed|agreed|"
        "true|same|correct|precisely|you bet|for sure|not really|maybe|perhaps|probably|of course|sure",
        "ok|okay|okey|okie|k|kk|alright|all right|sure thing|fine|deal|done|noted|roger(?: that)?",
    ),
    "acknowledgement": (
        "(?:many )?(?:thanks|thank you|thank u|thx|ty|tysm)(?: so much| very much| a lot| a ton| a million| again)*"
        f"(?: for {_FOR_WHAT})?",
        "much appreciated|(?:i )?(?:really |truly )?appreciate (?:it|that|you|(?:the|your) (?:help|support|advice))",
        "fair(?: enough| point)?|got it|gotcha|i got it|i see|i know|i get it|i hear you|understood",
        "i (?:totally |completely |fully )?(?:understand|agree)(?: with (?:you|that))?|couldn't agree more",
        "(?:that |it )?makes (?:total |perfect )?sense|same here|me too|you too|likewise|sounds right",
        f"(?:that |it |this )?(?:sounds|looks|seems) (?:{_VERY})*"
        f"(?:like (?:a plan|fun|a great (?:plan|idea|time))|{_PRAISE})",
        f"(?:that's|that is|thats|this is|it's|it is|those are|they're) (?:{_VERY})*(?:{_PRAISE})"
        "(?: to hear| of you| news| to know| to see)*",
        f"(?:{_VERY})*(?:{_PRAISE})(?: to hear| of you| news| idea| point| job| work| one| stuff| for you| to know)*",
        f"(?:how|so|very|really|too) (?:{_PRAISE})",
        f"what an? (?:(?:{_PRAISE}) )?(?:idea|story|surprise|shame|pity|view|shot|pic|picture|photo|achievement)",
        "wow+|whoa+|oh+|ooh+|ah+|aw+|hm+|mm+|uh|um|ha(?:ha)+h?|lol|lmao|yay+|woo+-?hoo+|hooray|phew|ugh|oops|gosh",
        "omg|oh my(?: god| gosh)?|no way|really|seriously|damn|dang|yikes|nice one",
        "congrats|congratulations|well done|way to go|good (?:luck|for you|on you|call)|kudos|bravo",
        "keep (?:it|going|pushing|up the (?:good|great|awesome|amazing) work)(?: up)?|you(?:'ve)? got this|"
        "hang in there",
        f"you(?:'re| are) (?:{_VERY})*(?:most )?(?:welcome|right|awesome|amazing|kind|sweet|the best|"
        "(?:a |an )?(?:star|legend|inspiration))",
        "you rock|no (?:problem|problemo|worries|prob|biggie)|not at all|my pleasure|anytime|any time|"
        "don't mention it|it was nothing|(?:glad (?:i could|to)|happy to) help",
        f"(?:i'm |i am |we're )?(?:{_VERY})*(?:glad|happy|sorry|pleased|excited|thrilled|proud|stoked)"
        "(?: to hear (?:about )?(?:that|it|this)| to hear| for you| of you| you (?:like|liked|enjoyed|love|loved) it|"
        " about (?:that|it)| for your loss)?",
        "(?:i )?(?:can't|cannot) wait(?: to (?:see|hear) (?:it|that|more|all about it|how it goes))?",
        "will do|please(?: do)?|my bad|(?:please )?tell me more|go on|go ahead|hope so|never mind|nevermind|"
        "keep me posted|looking forward to it|fingers crossed|bless you|no rush|whatever",
        "i (?:hope|think|guess|suppose)(?: so| not)?",
        "let me know(?: how it goes| what you think| if you need (?:anything|help|a hand))?",
        "i'm (?:good|fine|okay|ok|well|great)(?: too)?|(?:doing )?(?:good|fine|well|great)|"
        "(?:i'm )?(?:always )?here for you|you(?:'ll| will) (?:do|be) (?:great|fine|okay)",
    ),
}
ENGLISH_FILLERS = (
    "and|but|so|well|then|again|too|there|just|also|as well|man|dude|bro|buddy|girl|friend|mate|everyone|guys|"
    "my friend|to you"
)

_CHINESE_PRAISE = (
    "好|棒|赞|有趣|有意思|可爱|厉害|不错|酷|美|感人|遗憾|可惜|牛|开心|高兴|幸福|温馨|惊喜|精彩|难过|糟糕|辛苦|"
    "完美|有道理|好听|好看"
)

CHINESE_COURTESIES: dict[CourtesyKind, tuple[str, ...]] = {
    "greeting": (
        "(?:你|您|大家|各位|老师|朋友们)好[啊呀]?",
        "早上好|上午好|中午好|下午好|晚上好|早安|早[啊呀]?|嗨|嘿|哈[喽啰罗]|喂|在吗|在不在|好久不见|幸会",
        "很高兴(?:认识|见到)你|(?:新年|生日|节日|春节|中秋节?|圣诞节?)快乐",
        "hi|hello|hey",
    ),
    "farewell": (
        "再见|拜拜|晚安|回头见|明天见|回见|下次(?:见|聊)|改天(?:见|聊)|先这样|保重|慢走|88|一路平安|一路顺风",
        "祝你(?:好运|顺利|开心|愉快|一切顺利)",
    ),
    "answer": (
        "好(?:的|吧|呀|啊|嘞|哒|滴|哦|了)*|行(?:吧|啊|了)?|可以(?:的|啊|呀)?|没问题|没事(?:的|儿|啊)?|没关系",
        "是(?:的|啊|呀|吧|哦)*|对(?:的|啊|呀|哦|对)*|不是(?:的)?|没有|没错|确实|当然(?:了|可以)?|不要紧",
    ),
    "acknowledgement": (
        "嗯+|哦+|噢+|啊+|呃+|唉+|哎+|哇+塞?|(?:哈|呵|嘻|嘿|啊哈){2,}|笑死|ok|okay|yes|no|lol",
        "不(?:用|必)(?:了|谢|客气)*|不客气|别客气|客气了|辛苦(?:了|你了|啦)|麻烦(?:你|您)了",
        "抱歉|对不起|不好意思",
        "(?:非常|太|真的|十分|多|很)*(?:谢谢|感谢|多谢|谢啦|谢了)"
        "(?:你|您|大家|各位|啦|了|啊|分享|帮忙|提醒|支持|的|建议|鼓励)*",
        "(?:我)?(?:知道|明白|了解|清楚|懂|理解|收到|同意|赞成)(?:了|啦|你的意思|你)*",
        "原来(?:如此|是这样)|这样(?:啊|子)?|真的(?:啊|呀|假的)?|随便|都(?:行|可以)|期待|继续(?:说|吧)?",
        f"(?:听起来|看起来|那|这|你|那可)*(?:真|太|很|好|非常|特别|挺|蛮|也太)*(?:{_CHINESE_PRAISE})"
        "(?:了|啊|呀|的|吧|哦|呢|极了)*",
        "加油(?:哦|啊|呀)?|恭喜(?:你|您|啦|了)*|祝贺(?:你|您)*|为你(?:高兴|开心|骄傲)",
        "我也(?:是|觉得|一样|这么觉得|这么想)(?:的|啊)?",
    ),
}
