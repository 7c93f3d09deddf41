"""`jobs`: work that outlives the call."""

from pydantic import Field

from memu_py.config.section import Section


class JobSettings(Section):
    """Jobs and their workers."""

    workers: int = Field(
        default=2,
        ge=0,
        le=64,
        description="jobs that one process does at the same time; 0 leaves them to others",
    )
    lease_s: float = Field(
        default=60.0,
        ge=0.1,
        description="seconds after which the jobs of a process that died are taken over",
    )
    max_attempts: int = Field(default=3, ge=1, description="how often a job is begun before it has failed")
    backoff_s: float = Field(
        default=5.0,
        ge=0,
        description="pause before the second attempt, in seconds; doubled for each further one",
    )
    drain_s: float = Field(
        default=10.0,
        ge=0,
        description="how long closing goes on with jobs before it hands them over, in seconds",
    )
    poll_s: float = Field(
        default=1.0,
        gt=0,
        description="how often an idle worker looks for jobs of other processes, in seconds",
    )
    per_user: int | None = Field(
        default=None,
        ge=1,
        description="jobs of one user at the same time, in all processes together; no limit when left out",
    )
    priorities: dict[str, int] = Field(
        default_factory=lambda: {"scan": -10},
        description="by kind of job: the highest goes first; 0 where a kind is not named, and scans -10 if none is",
    )
    scan_every_s: float = Field(
        default=21600.0,
        ge=0,
        description="how often workers look for anniversaries and plans that become due, in seconds; 0 for never",
    )
    scan_ahead_days: int = Field(
        default=7, ge=0, le=365, description="days after today that such a scan looks at"
    )
    keep_days: int = Field(default=30, ge=0, description="days that jobs are kept after their end")

    def priority_of(self, kind: str) -> int:
        """Return the priority of a kind of job."""
        return self.priorities.get(kind, 0)
