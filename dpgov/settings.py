"""Composition root: every setting of the product, read from the environment.

The defaults are the embedded profile (SQLite, a filesystem broker, one machine);
docs/configuration.md lists the variables. No room reads the environment, but for where a client of
prometheus counts, and where a respondent's own program keeps what it drew.
"""

from datetime import timedelta
from pathlib import Path

from csp.constants import NONCE, NONE, SELF

from dpgov.celery import app as celery_app  # noqa: F401 - makes it the current app everywhere
from dpgov.configuration.environment import (
    broker_settings,
    cache_settings,
    database_settings,
    deriving_seconds,
    email_settings,
    log_settings,
    rates_settings,
    sign_in_settings,
    upload_megabytes,
)
from dpgov.configuration.keys import fingerprint_key, secret_key
from dpgov.configuration.live import live_settings
from dpgov.configuration.oidc import oidc_settings
from dpgov.configuration.reading import Environment, least_epsilon, ports, secret_text
from dpgov.configuration.rest import (  # noqa: F401 - read by Django
    DRF_STANDARDIZED_ERRORS,
    REST_FRAMEWORK,
    SPECTACULAR_SETTINGS,
)
from dpgov.configuration.store import store_settings
from dpgov.operation.logs import configure_structlog

env = Environment()
BASE_DIR = Path(__file__).resolve().parent.parent
HOME = Path(env.str("DPGOV_HOME", default=str(BASE_DIR / "var"))).resolve()
HTTPS = env.bool("DPGOV_HTTPS", default=True)
BEHIND_PROXY = env.bool("DPGOV_BEHIND_PROXY", default=False)

# --- Django -----------------------------------------------------------------------------------
DEBUG = env.bool("DPGOV_DEBUG", default=False)
SECRET_KEY = secret_key(env, HOME)
ALLOWED_HOSTS = env.list("DPGOV_ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("DPGOV_CSRF_TRUSTED_ORIGINS", default=[])
ROOT_URLCONF = "dpgov.urls"
WSGI_APPLICATION = "dpgov.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {"default": database_settings(env, HOME)}
CACHES = {"default": cache_settings(env, HOME), "rates": rates_settings(env, HOME)}
USE_TZ = True
TIME_ZONE = env.str("DPGOV_TIME_ZONE", default="UTC")
LANGUAGE_CODE = "en-gb"
LANGUAGES = [("en-gb", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "dpgov" / "language" / "locale"]
FORMAT_MODULE_PATH = ["dpgov.language.formats"]
LANGUAGE_COOKIE_AGE = 31_536_000
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "csp",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "drf_standardized_errors",
    "knox",
    "rest_framework",
    "dpgov.language",
    "dpgov.audit",
    "dpgov.tenants",
    "dpgov.approvals",
    "dpgov.budgets",
    "dpgov.datasets",
    "dpgov.queries",
    "dpgov.noise_check",
    "dpgov.notices",
    "dpgov.explain",
    "dpgov.limits",
    "dpgov.surveys",
    "dpgov.joint",
    "dpgov.oversight",
    "dpgov.dashboards",
    "dpgov.demo",
    "dpgov.sweeper",
]
MIDDLEWARE = [
    "dpgov.operation.middleware.RequestLogMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "dpgov.tenants.web.middleware.NoStoreMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "dpgov.tenants.web.middleware.LanguageMiddleware",
    "dpgov.operation.middleware.BodyLimitMiddleware",
    "dpgov.operation.middleware.WholeBodyMiddleware",
    "dpgov.operation.middleware.AddressMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "dpgov.operation.middleware.NulMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "dpgov.operation.middleware.ProbesMiddleware",
    "dpgov.tenants.web.middleware.SessionEndsMiddleware",
    "dpgov.tenants.web.middleware.LettersMiddleware",
    "dpgov.tenants.web.middleware.TenantMiddleware",
    "dpgov.operation.way_back.NoPageMiddleware",
    "dpgov.tenants.rates.RateMiddleware",
    "dpgov.tenants.web.middleware.SecondFactorMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "libraries": {"fields": "dpgov.web.pages"},
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "dpgov.tenants.web.middleware.tenant",
            ],
        },
    },
]
STATIC_URL = "static/"
STATIC_ROOT = Path(env.str("DPGOV_STATIC_ROOT", default=str(HOME / "static")))
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = DEBUG
WHITENOISE_AUTOREFRESH = False
FILE_UPLOAD_HANDLERS = ["dpgov.datasets.intake.NoFiles"]
FILE_UPLOAD_PERMISSIONS = 0o600
# A file has 500 columns at most, each a row of ten fields on the page where it is declared.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 6000
# Letters hold links that sign people in: files of the product's own user, never a log.
vars().update(email_settings(env, HOME))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("DPGOV_EMAIL_FROM", default="dpgov@localhost")

# --- Signing in (allauth) ---------------------------------------------------------------------
AUTH_USER_MODEL = "tenants.User"
AUTHENTICATION_BACKENDS = ["dpgov.tenants.sign_in.addresses.Backend"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("MinimumLengthValidator", "CommonPasswordValidator", "NumericPasswordValidator")
]
LOGIN_REDIRECT_URL = "dashboards:home"
LOGIN_URL = "account_login"
ACCOUNT_ADAPTER = "dpgov.tenants.sign_in.adapter.AccountAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = env.str("DPGOV_EMAIL_VERIFICATION", default="none")
ACCOUNT_SESSION_REMEMBER = False
SESSION_LONGEST_AGE = env.int("DPGOV_SESSION_DAYS", default=14) * 86_400
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = "dpgov: "
ACCOUNT_FORMS = {"reset_password": "dpgov.tenants.sign_in.addresses.ResetForm"}
# Whoever finds a browser open must not take the account over by another address.
ACCOUNT_REAUTHENTICATION_REQUIRED = True
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
# Nobody signs up, so nobody waits with a second factor for somebody else's address.
MFA_ALLOW_UNVERIFIED_EMAIL = ACCOUNT_EMAIL_VERIFICATION != "mandatory"
MFA_TOTP_ISSUER = "dpgov"
# Browsers themselves allow it on localhost alone.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not HTTPS
DPGOV_MFA_REQUIRED = env.list("DPGOV_MFA_REQUIRED", default=[])

# Another provider to sign in with: it finds accounts by a confirmed address, and makes none.
OIDC = oidc_settings(env)
SOCIALACCOUNT_ADAPTER = "dpgov.tenants.sign_in.adapter.SocialAccountAdapter"
SOCIALACCOUNT_PROVIDERS = OIDC.providers
SOCIALACCOUNT_EMAIL_AUTHENTICATION = True
SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True

# Wrong passwords are slowed by dpgov.tenants.sign_in.guessing, resets and second factors by allauth
# itself, both counted in CACHES by address: the proxy's word, but only if there is one.
ALLAUTH_TRUSTED_PROXY_COUNT = 1 if BEHIND_PROXY else 0

# Requests in a minute: of one person (and of one token), and of one organisation together.
DPGOV_RATE_PERSON = env.int("DPGOV_RATE_PERSON", default=600)
DPGOV_RATE_ORGANISATION = env.int("DPGOV_RATE_ORGANISATION", default=6000)

# --- Transport and browser security -----------------------------------------------------------
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
SECURE_REFERRER_POLICY = "same-origin"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
# Asked from the machine itself or its own network, where nobody speaks HTTPS.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
vars().update(sign_in_settings(env, https=HTTPS))
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF, *OIDC.origins],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    },
}


# --- REST -------------------------------------------------------------------------------------
DPGOV_TOKEN_DAYS = env.int("DPGOV_TOKEN_DAYS", default=365)
REST_KNOX = {"TOKEN_TTL": timedelta(days=90)}
KNOX_TOKEN_MODEL = "tenants.ApiToken"  # noqa: S105 - a model's name, not a secret

# --- Celery -----------------------------------------------------------------------------------
DPGOV_QUERY_SECONDS = env.int("DPGOV_QUERY_SECONDS", default=30)
DPGOV_MOST_NUMBERS = env.int("DPGOV_MOST_NUMBERS", default=2**20)
DPGOV_QUERY_MEMORY_BYTES = env.int("DPGOV_QUERY_MEMORY_MB", default=1024) * 1_000_000
vars().update(broker_settings(env, HOME))
# Each bound leaves room for the one inside it: the engine stops its scan, then the task is asked to
# end, then its process is killed, then another worker may take over (dpgov.queries.checks).
CELERY_TASK_SOFT_TIME_LIMIT = DPGOV_QUERY_SECONDS + 10
CELERY_TASK_TIME_LIMIT = DPGOV_QUERY_SECONDS + 20
# In kilobytes, looked at between tasks: a process that has grown is replaced.
CELERY_WORKER_MAX_MEMORY_PER_CHILD = (DPGOV_QUERY_MEMORY_BYTES + 1_000_000_000) // 1000

# --- Operation --------------------------------------------------------------------------------
LOGGING = log_settings(env)
configure_structlog()
DPGOV_BEHIND_PROXY = BEHIND_PROXY
DPGOV_METRICS_TOKEN = secret_text(env, "DPGOV_METRICS_TOKEN")

# --- dpgov ------------------------------------------------------------------------------------
DPGOV_HOME = HOME
DPGOV_FINGERPRINT_KEY = fingerprint_key(env, HOME)
DPGOV_STORE = store_settings(env)
DPGOV_STORE_CACHE_BYTES = env.int("DPGOV_STORE_CACHE_MB", default=20_000) * 1_000_000
DPGOV_LIVE = live_settings(env)
DPGOV_LEASE_SECONDS = env.int("DPGOV_LEASE_SECONDS", default=60)
DPGOV_QUERY_ATTEMPTS = 2
DPGOV_EXPIRY_SECONDS = env.int("DPGOV_EXPIRY_SECONDS", default=86_400)
DPGOV_ANSWER_SLOT_MS = env.int("DPGOV_ANSWER_SLOT_MS", default=500)
DPGOV_DURATION_FACTOR = env.float("DPGOV_DURATION_FACTOR", default=1, least=0.01)
DPGOV_LONG_POLLS = env.int("DPGOV_LONG_POLLS", default=2, least=0)
DPGOV_LEAST_EPSILON = least_epsilon(env)
DPGOV_UPLOAD_MAX_BYTES = upload_megabytes(env) * 1_000_000
DPGOV_FILES_A_DAY_PERSON = env.int("DPGOV_FILES_A_DAY_PERSON", default=20)
DPGOV_FILES_A_DAY_ORGANISATION = env.int("DPGOV_FILES_A_DAY_ORGANISATION", default=100)
DPGOV_CHECKS_A_DAY_FILE = env.int("DPGOV_CHECKS_A_DAY_FILE", default=10)
DPGOV_CHECKS_A_DAY_PERSON = env.int("DPGOV_CHECKS_A_DAY_PERSON", default=50)
DPGOV_INGEST_MEMORY_BYTES = env.int("DPGOV_INGEST_MEMORY_MB", default=2048) * 1_000_000
DPGOV_INGEST_SECONDS = env.int("DPGOV_INGEST_SECONDS", default=300)
DPGOV_DERIVING_SECONDS = deriving_seconds(env)
DPGOV_READERS = env.int("DPGOV_READERS", default=2)
DPGOV_CHECKPOINT_KEY = env.str("DPGOV_CHECKPOINT_KEY", default="")
DPGOV_CHECKPOINT_KEY_FILE = Path(
    env.str("DPGOV_CHECKPOINT_KEY_FILE", default=str(HOME / "checkpoint_key"))
)
DPGOV_CHECKPOINT_ORIGIN = env.str("DPGOV_CHECKPOINT_ORIGIN", default="dpgov")
DPGOV_CHECKPOINT_FOLDER = Path(
    env.str("DPGOV_CHECKPOINT_FOLDER", default=str(HOME / "checkpoints"))
)
DPGOV_ARCHIVE_FOLDER = Path(env.str("DPGOV_ARCHIVE_FOLDER", default=str(HOME / "archive")))
DPGOV_JOINT_KEYS = Path(env.str("DPGOV_JOINT_KEYS", default=str(HOME / "joint_keys")))
DPGOV_CHECKPOINT_WEBHOOK = env.str("DPGOV_CHECKPOINT_WEBHOOK", default="")
DPGOV_CHECKPOINT_EMAIL = env.list("DPGOV_CHECKPOINT_EMAIL", default=[])
DPGOV_CHECKPOINT_ENTRIES = env.int("DPGOV_CHECKPOINT_ENTRIES", default=1000)
DPGOV_CHECKPOINT_MINUTES = env.int("DPGOV_CHECKPOINT_MINUTES", default=10)
DPGOV_NOISE_CHECK_HOURS = env.float("DPGOV_NOISE_CHECK_HOURS", default=0)
DPGOV_DATABASE_APP_ROLE = env.str("DPGOV_DATABASE_APP_ROLE", default="")
DPGOV_DATABASE_SWEEPER_ROLE = env.str("DPGOV_DATABASE_SWEEPER_ROLE", default="")
DPGOV_DATABASE_AUDITOR_ROLE = env.str("DPGOV_DATABASE_AUDITOR_ROLE", default="")
DPGOV_BASE_URL = env.str("DPGOV_BASE_URL", default="").rstrip("/")
DPGOV_WEBHOOK_PORTS = ports(env, "DPGOV_WEBHOOK_PORTS", [443, 8443])
DPGOV_WEBHOOKS_TO_PRIVATE_ADDRESSES = env.bool("DPGOV_WEBHOOKS_TO_PRIVATE_ADDRESSES", default=False)
# Last: by now every name was asked for that has an effect.
DPGOV_UNREAD = env.unread()
