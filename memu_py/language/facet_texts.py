"""How a value that was set by hand is said, so that a search finds it."""

from memu_py.language.tongue import language_of

CHINESE = {
    "name": "名字",
    "nickname": "昵称",
    "age": "年龄",
    "birthday": "生日",
    "origin": "老家",
    "home": "住址",
    "timezone": "时区",
    "occupation": "职业",
    "employer": "工作单位",
    "family": "家人",
    "pets": "宠物",
    "languages": "语言",
    "skills": "技能",
    "interests": "兴趣",
    "likes": "喜欢",
    "dislikes": "不喜欢",
    "diet": "饮食",
    "allergies": "过敏",
    "goals": "目标",
}


def stated_text(facet: str, value: str, topic: str, *, ends: bool) -> str:
    """Return a line that says a value, in the language of the value.

    >>> stated_text("occupation", "nurse", "", ends=False), stated_text("home", "上海", "", ends=True)
    ('Occupation: nurse', '不再是：住址：上海')
    """
    if language_of(value or topic) == "zh":
        label = topic or CHINESE.get(facet, facet)
        said = f"{label}：{value}" if value else label
        return f"不再是：{said}" if ends else said
    label = f"{facet}, {topic}" if topic else facet
    said = f"{label}: {value}" if value else label
    return f"No longer {said}" if ends else f"{said[:1].upper()}{said[1:]}"
