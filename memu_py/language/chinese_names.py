"""What tells a Chinese name: surnames, titles, endings of places, and some names that have none of these."""

from memu_py.language.wordlist import words

SURNAMES = frozenset(
    "王李张刘陈杨赵吴徐孙胡朱郭罗宋郑谢韩唐冯邓曹彭曾肖蒋蔡贾薛程沈吕卢姚钟姜崔谭陆范汪廖石韦邱潘杜"
)
"""Frequent surnames that seldom begin another word of three characters."""

TITLES = (
    "老师",
    "先生",
    "女士",
    "小姐",
    "医生",
    "大夫",
    "教授",
    "经理",
    "老板",
    "师傅",
    "阿姨",
    "叔叔",
    "同学",
    "律师",
    "总",
)
TITLE_SURNAMES = SURNAMES | frozenset(
    "周黄林何高梁马董于余叶苏魏丁任方袁金夏熊孟秦白江史龙万段雷钱汤尹黎易常武贺"
)

NICKNAME_CHARACTERS = frozenset(
    "明红美丽华芳强军伟杰林王李张刘陈杨赵周吴徐孙马朱胡郭何高罗宋梁谢韩唐玲兰花梅玉英霞燕雪云月琪琳婷莉丹娜宇"
    "龙虎豪辉峰刚勇涛鹏静慧颖雨晴佳怡欣薇萌樱"
)
"""小 or 阿 with one of these is what somebody is called: 小明, 阿强."""

PLACE_ENDINGS = (
    "市",
    "省",
    "县",
    "区",
    "镇",
    "村",
    "路",
    "街",
    "大道",
    "大学",
    "学院",
    "中学",
    "小学",
    "医院",
    "公司",
    "集团",
    "银行",
    "机场",
    "车站",
    "火车站",
    "地铁站",
    "公园",
    "广场",
    "餐厅",
    "饭店",
    "酒店",
    "咖啡馆",
    "咖啡厅",
    "书店",
    "超市",
    "商场",
    "博物馆",
    "图书馆",
    "美术馆",
    "体育馆",
    "电影院",
    "寺",
    "山",
    "湖",
    "岛",
    "河",
)

PLACES = words(
    """
    北京 上海 广州 深圳 杭州 成都 重庆 天津 南京 武汉 西安 苏州 长沙 郑州 青岛 大连 厦门 宁波 昆明 沈阳
    哈尔滨 济南 合肥 福州 无锡 珠海 三亚 桂林 丽江 大理 拉萨 西藏 新疆 云南 四川 广东 广西 浙江 江苏 山东
    河南 河北 湖南 湖北 福建 安徽 江西 海南 贵州 甘肃 青海 宁夏 山西 陕西 辽宁 吉林 黑龙江 内蒙古 香港 澳门
    台湾 台北 中国 美国 英国 法国 德国 日本 韩国 泰国 新加坡 加拿大 澳大利亚 俄罗斯 意大利 西班牙 印度 越南
    马来西亚 纽约 伦敦 巴黎 东京 大阪 京都 首尔 曼谷 柏林 洛杉矶 旧金山 西雅图 悉尼 墨尔本 多伦多 温哥华
    """
)
"""Towns and countries that no ending gives away."""

KNOWN = PLACES | words(
    """
    星巴克 麦当劳 肯德基 瑞幸 喜茶 奈雪 海底捞 必胜客 优衣库 宜家 沃尔玛 盒马 微信 微博 抖音 淘宝 京东
    拼多多 支付宝 美团 小红书 知乎 豆瓣 阿里巴巴 阿里 腾讯 百度 字节跳动 华为 小米 苹果公司 谷歌 微软 特斯拉
    亚马逊 网易 滴滴 清华 北大 复旦 浙大 迪士尼 故宫 长城 西湖 外滩
    """
)
"""Places and brands that no ending gives away."""

NOT_NAMES = words(
    """
    王国 张开 石头 陆续 杜绝 程序 程序员 曾经 沈默 钟头 钟表 石油 范围 姜汤 韩国人 韩国 唐人街 宋朝 唐朝
    汉朝 李子树 杨树 杨梅 徐徐 孙子 孙女 郭 陈旧 张罗 谢谢 谢谢你 谢谢您 谢谢大家 罗马 罗马尼亚 朱红色
    胡萝卜 胡同 胡说 胡子 彭 蒋 蔡 曹 陈列馆 石家庄 郑州 郑州市 谭 王者 王子 王后 张家界 韩语 韩剧 唐诗 宋词
    曾祖父 曾祖母 李宁 杨贵妃 陆地 汪洋 潘多拉 杜鹃 杜鹃花 范本 石榴 石膏 石化 崔 姚 卢 吕 肖像 肖像画 薛 贾
    陈醋
    """
)
"""Words that begin like a name."""

NOT_PLACES = words(
    """
    超市 城市 大学 学院 中学 小学 医院 公司 集团 银行 机场 车站 火车站 地铁站 公园 广场 餐厅 饭店 酒店 书店
    商场 咖啡馆 咖啡厅 博物馆 图书馆 美术馆 体育馆 电影院 地区 小区 社区 街区 市区 郊区 山区 景区 农村 乡村
    小镇 城镇 道路 公路 马路 高速公路 铁路 走路 迷路 一路 路 街 逛街 上街 大街 步行街 爬山 登山 火山 下山
    上山 江山 湖 山 岛 河 半岛 海岛 市 省 县 区 镇 村 大道 寺 门市 上市 股市 夜市 菜市 反省 节省 外省 本市
    全市 全省 思路 电路 套路 出路 后路 网路 走廊 分公司 子公司 总公司 母公司 大公司 小公司 新公司 我们公司
    大医院
    """
)
"""Words that end like the name of a place."""

NAME_STOPS = frozenset("的了和在是我你他她它们这那有也就都还去来到说吗呢吧啊哦，")
"""Where a name after 叫 is over."""

NOT_CALLED = frozenset("我你他她它您人车外醒停上下声好苦板不着")
"""叫 followed by one of these is the verb: to call, to order."""
