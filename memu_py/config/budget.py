"""`budget`: what chat models may cost."""

from pydantic import Field

from memu_py.config.section import Section


class BudgetSettings(Section):
    """Limits on the tokens of chat models, sent and answered; a call that would go over one is refused."""

    tokens_per_run: int | None = Field(
        default=None, ge=1, description="tokens that one run may take; no limit when left out"
    )
    tokens_per_day: int | None = Field(
        default=None,
        ge=1,
        description="tokens that the runs of one user (or agent) may take in a day, UTC; no limit when left out",
    )
