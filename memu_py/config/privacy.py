"""`privacy`: what becomes of sensitive data before anything is stored."""

from typing import Literal

from pydantic import Field

from memu_py.config.section import Section

Policy = Literal["keep", "mask", "drop"]


class PrivacySettings(Section):
    """What becomes of each kind: `keep` it, `mask` it so that the rest still reads, `drop` it without a trace."""

    phone: Policy = Field(default="keep", description="numbers of telephones")
    email: Policy = Field(default="keep", description="e-mail addresses")
    id_card: Policy = Field(
        default="keep", description="numbers of Chinese identity cards and US social security"
    )
    bank_card: Policy = Field(default="keep", description="numbers of bank and credit cards")
    address: Policy = Field(default="keep", description="streets with house numbers, post boxes")
    key: Policy = Field(default="mask", description="API keys, tokens, private keys, passwords")
    regions: tuple[str, ...] = Field(
        default=("CN", "US"), description="countries whose telephone numbers are known without a country code"
    )
    inference: Literal["drop", "keep"] = Field(
        default="drop",
        description="what a model says of somebody's personality, values, faith, politics or health that nobody said",
    )
    unread: Literal["keep", "refuse"] = Field(
        default="keep",
        description="whether a file that is no text may wait in a job, where nothing of it is masked yet",
    )
