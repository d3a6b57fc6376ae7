"""Settings of the site. Everything that varies comes from the environment or `.env`; app values start with PLANS_."""

from __future__ import annotations

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from planner_site import databases, env, secret_key

BASE_DIR = Path(__file__).resolve().parent.parent
for _name, _value in env.read_dotenv(BASE_DIR / ".env").items():
    os.environ.setdefault(_name, _value)

# --- where run data lives ---
PLANS_DATA_DIR = Path(env.text("PLANS_DATA_DIR", str(BASE_DIR / "var"))).resolve()
STORAGE_URL = env.text("STORAGE_URL", (PLANS_DATA_DIR / "blobs").as_uri())

# --- safety ---
DEBUG = env.flag("DEBUG", False)
SECRET_KEY = secret_key.read(PLANS_DATA_DIR)
ALLOWED_HOSTS = env.items("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
if not DEBUG:
    if "*" in ALLOWED_HOSTS:
        raise ImproperlyConfigured(
            "ALLOWED_HOSTS=* is refused while DEBUG is off: name the hosts this site answers to."
        )
    secret_key.refuse_default(SECRET_KEY)
CSRF_TRUSTED_ORIGINS = env.items("CSRF_TRUSTED_ORIGINS", "")
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.flag("PLANS_HTTPS", False)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if SESSION_COOKIE_SECURE else None
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# Nothing inline, nothing from elsewhere. Artifacts bring a stricter policy of their own; `frame-src` shows reports.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "frame-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
        "report-uri": ["/csp-report"],
    }
}

INSTALLED_APPS = [
    "channels",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "csp",
    "django_q",
    "plans.apps.PlansConfig",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "planner_site.urls"
ASGI_APPLICATION = "planner_site.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# --- database: SQLite in the data folder, or PostgreSQL; asgi.py says that this process serves pages ---
DATABASES = {
    "default": databases.database(
        env.text("DATABASE_URL", ""),
        PLANS_DATA_DIR / "db.sqlite3",
        is_web=env.flag("PLANS_IS_WEB", False),
        pool_size=env.whole("PLANS_DATABASE_POOL", 10, low=2, high=1000),
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "new_run"
LOGOUT_REDIRECT_URL = "login"

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True
LOCALE_PATHS = [BASE_DIR / "plans" / "locale"]

STATIC_URL = "static/"
STATIC_ROOT = Path(env.text("PLANS_STATIC_DIR", str(PLANS_DATA_DIR / "static"))).resolve()
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "planner_site.static_files.StaticFiles"},
}

# --- the engine ---
PLANS_WORKERS = env.whole("PLANS_WORKERS", 2, low=1, high=64)
PLANS_SLOTS_PER_WORKER = env.whole("PLANS_SLOTS_PER_WORKER", 4, low=1, high=64)
PLANS_LEASE_SECONDS = env.number("PLANS_LEASE_SECONDS", 30, low=1, high=3600)
PLANS_LINGER_SECONDS = env.number("PLANS_LINGER_SECONDS", 0.1, low=0, high=5)
PLANS_STOP_SECONDS = env.number("PLANS_STOP_SECONDS", 15, low=0.1, high=600)
PLANS_SWEEP_SECONDS = env.number("PLANS_SWEEP_SECONDS", 1, low=0.05, high=60)
PLANS_RETRY_BASE_SECONDS = env.number("PLANS_RETRY_BASE_SECONDS", 1, low=0.01, high=300)
PLANS_CORRECTIONS_PER_PROBLEM = env.whole("PLANS_CORRECTIONS_PER_PROBLEM", 3, low=0, high=100)
PLANS_CORRECTIONS_PER_RUN = env.whole("PLANS_CORRECTIONS_PER_RUN", 20, low=0, high=1000)
PLANS_REPLANS_PER_RUN = env.whole("PLANS_REPLANS_PER_RUN", 3, low=0, high=100)
PLANS_WATCHDOG_SECONDS = env.number("PLANS_WATCHDOG_SECONDS", 15, low=1, high=600)
PLANS_AGE_SECONDS = env.number("PLANS_AGE_SECONDS", 10, low=0.1, high=3600)
PLANS_FAN_OUT_MAX = env.whole("PLANS_FAN_OUT_MAX", 10_000, low=1, high=1_000_000)
PLANS_MAX_UPLOAD_BYTES = env.whole("PLANS_MAX_UPLOAD_BYTES", 50 * 1024 * 1024, low=1, high=2**40)
PLANS_DEFAULT_BUDGET_USD = env.number("PLANS_DEFAULT_BUDGET_USD", 1, low=0, high=1_000_000)  # 0: no default
# --- the model; what an administrator sets under Models comes before these ---
PLANS_MODEL_API_KEY = env.text("ANTHROPIC_API_KEY", "") or env.text("ANTHROPIC_AUTH_TOKEN", "")
PLANS_MODEL_BASE_URL = env.text("ANTHROPIC_BASE_URL", "")
PLANS_MODEL_MODE = env.choice("PLANS_MODEL_MODE", "", ("", "format", "tool", "prompt"))  # empty: found out by asking
PLANS_PLAN_MODEL = env.text("PLANS_PLAN_MODEL", "claude-sonnet-5-5")
PLANS_HARD_MODEL = env.text("PLANS_HARD_MODEL", "claude-opus-5-5")
PLANS_SMALL_MODEL = env.text("PLANS_SMALL_MODEL", "claude-haiku-5-5")
PLANS_MODEL_SILENCE_SECONDS = env.number("PLANS_MODEL_SILENCE_SECONDS", 90, low=0.1, high=3600)
PLANS_MODEL_SEES_ROWS = env.flag("PLANS_MODEL_SEES_ROWS", True)
PLANS_SKILLS_DIR = env.text("PLANS_SKILLS_DIR", "")
# how this machine is called among the hosts that share a database; empty: its own name
PLANS_HOST_NAME = env.text("PLANS_HOST_NAME", "")
PLANS_HOST = env.text("PLANS_HOST", "127.0.0.1")
PLANS_PORT = env.whole("PLANS_PORT", 8000, low=0, high=65535)
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024

# Why each value: docs/decisions/0002-django-q2-as-doorbell.md. guard_cycle must divide timeout + 3 exactly in binary.
Q_CLUSTER = {
    "name": env.text("Q_CLUSTER_NAME", "forethought"),
    "label": "Queue",
    **databases.broker(env.text("REDIS_URL", "")),
    "workers": PLANS_WORKERS,
    "poll": 0.02,
    "queue_limit": 1,
    "bulk": 1,
    "timeout": 55,
    "retry": 60,
    "save_limit": -1,
    "ack_failures": True,
    "max_attempts": 1,
    "recycle": 500,
    "guard_cycle": 0.5,
    "scheduler": False,
    "catch_up": False,
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "planner_site.logs.formatter"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
    "root": {"handlers": ["stderr"], "level": env.text("LOG_LEVEL", "WARNING")},
    "loggers": {"plans": {"level": env.text("LOG_LEVEL", "INFO")}, "django-q": {"level": "WARNING"}},
}
