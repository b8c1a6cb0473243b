"""Who there is: tenants, users, the role that a user has in a tenant, and projects of users."""

import uuid
from datetime import datetime
from typing import Any, ClassVar

from django.contrib.auth.models import BaseUserManager
from django.db import models
from django.db.models.functions import Coalesce, Greatest, Lower
from django.utils import timezone
from knox.models import AbstractAuthToken

from dpgov.operation import clock
from dpgov.operation.clock import DatabaseStamp, Stamp
from dpgov.tenants.people.passwords import WithPassword
from dpgov.tenants.role_names import TAKES_TWO_PERSONS, in_words
from dpgov.tenants.role_names import Role as Role


class Tenant(models.Model):
    """An organisation. Everything that is governed belongs to exactly one.

    `practice_of` is the organisation whose people practise here, on invented rows alone: it takes
    no file of anybody's. None for every other.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    practice_of = models.UUIDField(null=True, unique=True, editable=False)
    created_at = Stamp(auto_now_add=True)

    def __str__(self) -> str:
        return self.name

    @property
    def is_practice(self) -> bool:
        """Whether everything here is invented."""
        return self.practice_of is not None


class UserManager(BaseUserManager["User"]):
    """Creates users by e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """A user with a hashed password, or one who cannot sign in until a password is set."""
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user


class User(WithPassword):  # type: ignore[django-manager-missing]
    """A person. Signs in by e-mail; acts only through a membership."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=120, blank=True)
    language = models.CharField(max_length=10, blank=True, default="")
    is_active = models.BooleanField(default=True)
    date_joined = Stamp(auto_now_add=True)

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects: ClassVar[UserManager] = UserManager()

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="tenants_user_email_any_case")]

    def __str__(self) -> str:
        return self.name or self.email


class Membership(models.Model):  # type: ignore[django-manager-missing]
    """A user's role in a tenant, which they have had without a break since `role_since`.

    And a second one of those that go together, or none (""). People are picked by `tenants.roles`.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role.choices)
    role_since = models.DateTimeField(default=timezone.now)
    second_role = models.CharField(max_length=16, choices=Role.choices, blank=True, default="")
    second_since = models.DateTimeField(null=True)
    created_at = Stamp(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "user"], name="tenants_one_role_per_tenant"),
            models.CheckConstraint(
                name="tenants_roles_that_go_together",
                condition=models.Q(second_role="", second_since__isnull=True)
                | models.Q(second_role="analyst", role="owner", second_since__isnull=False)
                | models.Q(second_role="analyst", role="admin", second_since__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.roles_code} at {self.tenant})"

    @property
    def roles(self) -> tuple[Role, ...]:
        """All that this person is here, the first role first."""
        return tuple(Role(role) for role in (self.role, self.second_role) if role)

    @property
    def roles_code(self) -> str:
        """The same as it is chosen, requested and logged: "owner", "owner+analyst"."""
        return "+".join(self.roles)

    @property
    def roles_label(self) -> str:
        """The same as people read it: "Data owner and analyst"."""
        return in_words(self.roles)

    def has(self, role: Role) -> bool:
        """Whether this is one of their roles."""
        return role in self.roles

    def since(self, role: Role) -> datetime | None:
        """Since when they have had this role without a break; None for one that they have not."""
        return {self.role: self.role_since, self.second_role: self.second_since}.get(role)


class Invitation(models.Model):
    """A person's way into a tenant, once and until `expires_at`; only the token's hash is kept.

    `invited_by` is empty where whoever runs the installation did it; `consent` is the approved
    request, or "operator", without which nobody becomes owner or officer. `sent_at`: when the last
    of its `letters` left. `ended_at` is set when it was taken back.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="invitations")
    email = models.EmailField()
    role = models.CharField(max_length=16, choices=Role.choices)
    token_hash = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    consent = models.CharField(max_length=36, blank=True, default="")
    letters = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)
    created_at = DatabaseStamp(auto_now_add=True)
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    accepted_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    accepted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "email"],
                condition=models.Q(ended_at__isnull=True, accepted_at__isnull=True),
                name="tenants_one_open_invitation",
            ),
            models.CheckConstraint(
                name="tenants_invitation_ends_once",
                condition=models.Q(ended_at__isnull=True) | models.Q(accepted_at__isnull=True),
            ),
            models.CheckConstraint(
                name="tenants_invitation_takes_two",
                condition=models.Q(accepted_at__isnull=True)
                | models.Q(role__in=["analyst", "admin"])
                | ~models.Q(consent=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email} ({self.role} at {self.tenant_id})"

    @property
    def is_agreed(self) -> bool:
        """Whether one person may give the role, or a second one agreed."""
        return bool(self.consent) or self.role not in TAKES_TWO_PERSONS

    @property
    def is_over(self) -> bool:
        """Whether it is too old to be used."""
        return self.expires_at <= clock.now()


class ApiToken(AbstractAuthToken):  # type: ignore[misc]
    """A hashed API token; it acts as one membership and ends with it.

    And with its `expiry`, and with the password that its person had: `password_mark` stands for
    that. `reference` names it in pages and in the audit log; the value and its hash never leave
    here. `used_at` is when it was last used, to the hour.
    """

    reference = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = models.CharField(max_length=80)
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="tokens")
    password_mark = models.CharField(max_length=64)
    used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["membership", "name"], name="tenants_token_name"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_too_old(self) -> bool:
        """Whether its days are over."""
        return self.expiry is None or self.expiry <= clock.now()

    @property
    def is_of_another_password(self) -> bool:
        """Whether its person has set another password since it was made."""
        return bool(self.password_mark != self.user.password_mark)


class Project(models.Model):
    """People of one tenant who work on something together and may be granted a budget for it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="projects")
    name = models.CharField(max_length=120)
    created_at = Stamp(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "name"],
                condition=models.Q(ended_at__isnull=True),
                name="tenants_project_name",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def members(self) -> "Places":
        """Who works on it now."""
        return self.places.present()


class Places(models.QuerySet["ProjectMember"]):
    """Places in projects, those that are over among them."""

    def present(self) -> "Places":
        """Whose people work on their project now: all that a place lets anybody do is by these."""
        return self.filter(ended_at__isnull=True)

    def end(self) -> None:
        """Take these people off, once the log says so; that they had a place stays known.

        Never before what their project was granted, also by a clock that was ahead: by these two
        moments it is known who had a part in it. Granting takes the log's lock, too.
        """
        now = models.Value(clock.database_now(), models.DateTimeField())
        granted = models.Max("allocations__budget__limit_changes__created_at")
        project = Project.objects.filter(pk=models.OuterRef("project")).values("pk")
        newest = models.Subquery(project.annotate(newest=granted).values("newest"))
        self.present().update(ended_at=Greatest(now, Coalesce(newest, now)))


class ProjectMember(models.Model):
    """Somebody's place in a project, now or once; it ends with their membership of the tenant.

    None is deleted: who had a part in an allocation is limited by it for good (`allocated`).
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="places")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="project_memberships")
    created_at = Stamp(auto_now_add=True)
    # Compared with the moment at which an allocation was granted: `Places.end` alone writes it.
    ended_at = models.DateTimeField(null=True)

    objects = Places.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "user"],
                condition=models.Q(ended_at__isnull=True),
                name="tenants_once_per_project",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.project}"
