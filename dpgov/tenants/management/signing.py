"""Commands that sign the log need a role that may, and say what they cannot read."""

from django.core.management.base import CommandError

from dpgov.tenants.wall.roles import connected_as, known_roles


def require_signer() -> None:
    """Raise CommandError where the database would refuse the first signature, minutes from now."""
    role, signer = connected_as(), known_roles().sweeper
    if role and signer and role != signer:
        raise CommandError(
            f"This command signs the audit log, and {role} may not. Give it the address of "
            f"{signer} in DPGOV_DATABASE_URL, or name no role in DPGOV_DATABASE_SWEEPER_ROLE."
        )


def cannot_be_read(failure: Exception) -> str:
    """What an operator is told; the error's own text may hold a path or a key."""
    return f"the key or the folder of checkpoints cannot be read ({type(failure).__name__})"
