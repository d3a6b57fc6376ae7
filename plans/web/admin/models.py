"""Models: which one answers, with a button that asks it; and the ledger of calls, to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from plans.core.model import Tier
from plans.engine import ledger
from plans.llm.config import Mode
from plans.models import ModelCall, ModelSettings
from plans.sealing import CannotUnseal, seal, unseal
from plans.supervise import connection
from plans.web.admin.readonly import AnyAdmin, ReadOnlyAdmin, parent
from plans.wording import sentence

MODES = [
    ("", _("As the endpoint can: found out by asking it")),
    (Mode.FORMAT.value, _("By a grammar (output_config.format)")),
    (Mode.TOOL.value, _("By a forced tool")),
    (Mode.PROMPT.value, _("By asking in words")),
]
SHOWN_OF_KEY = 4
if TYPE_CHECKING:
    AnyForm = forms.ModelForm[ModelSettings]
else:
    # Only the stubs make ModelForm generic.
    AnyForm = forms.ModelForm


class ModelSettingsForm(AnyForm):
    """What is left empty comes from the environment. The key goes in and never out."""

    key = forms.CharField(
        label=_("API key"),
        required=False,
        max_length=500,
        strip=True,
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "off", "size": 60}),
    )
    forget_key = forms.BooleanField(label=_("Forget the stored key"), required=False)
    mode = forms.ChoiceField(label=_("structured output"), choices=MODES, required=False)

    class Meta:
        model = ModelSettings
        fields = ["base_url", "mode", "plan_model", "hard_model", "small_model", "review", "alternatives"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["key"].help_text = key_words(self.instance)
        usual = {
            "base_url": settings.PLANS_MODEL_BASE_URL or "https://api.anthropic.com",
            "plan_model": settings.PLANS_PLAN_MODEL,
            "hard_model": settings.PLANS_HARD_MODEL,
            "small_model": settings.PLANS_SMALL_MODEL,
        }
        for name, value in usual.items():
            self.fields[name].widget.attrs["placeholder"] = value

    def clean_base_url(self) -> str:
        value = str(self.cleaned_data["base_url"]).strip().rstrip("/")
        if value and not value.startswith(("http://", "https://")):
            raise forms.ValidationError(_("An address begins with http:// or https://."))
        return value

    def clean_key(self) -> str:
        value = str(self.cleaned_data["key"])
        if any(sign.isspace() or not sign.isprintable() or not sign.isascii() for sign in value):
            raise forms.ValidationError(_("A key has no spaces and only plain letters, digits and signs."))
        return value

    def save(self, commit: bool = True) -> ModelSettings:
        if self.cleaned_data["key"]:
            self.instance.api_key = seal(self.cleaned_data["key"])
        elif self.cleaned_data["forget_key"]:
            self.instance.api_key = ""
        saved: ModelSettings = super().save(commit)
        return saved


def key_words(row: ModelSettings) -> str:
    """Say which key is used, by its last characters alone."""
    if row.api_key:
        try:
            end = unseal(row.api_key)[-SHOWN_OF_KEY:]
        except CannotUnseal:
            return sentence("model_key_unreadable")
        return str(_("A key is stored, ending in %(end)s. Leave this empty to keep it.") % {"end": end})
    if settings.PLANS_MODEL_API_KEY:
        return str(_("The key of the environment (ANTHROPIC_API_KEY) is used. One entered here comes before it."))
    return str(_("None is set. It is stored encrypted and never shown again."))


@admin.register(ModelSettings)
class ModelSettingsAdmin(AnyAdmin):
    """One page: the list leads to the only row, or to the form that makes it."""

    form = ModelSettingsForm
    change_form_template = "admin/plans/modelsettings/change_form.html"
    fieldsets = [
        (_("Connection"), {"fields": ["key", "forget_key", "base_url", "mode"]}),
        (_("Models"), {"fields": ["plan_model", "hard_model", "small_model"]}),
        (_("Second opinions"), {"fields": ["review", "alternatives"]}),
    ]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return super().has_add_permission(request) and not ModelSettings.objects.exists()

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_urls(self) -> list[URLPattern]:
        test = path("test/", self.admin_site.admin_view(self.test), name="plans_modelsettings_test")
        return [test, *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return HttpResponseRedirect(self._page())

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: Any = None) -> HttpResponse:
        return self.response_change(request, obj)

    def response_change(self, request: HttpRequest, obj: Any) -> HttpResponse:
        self.message_user(request, str(_("Saved. Test it below.")), messages.SUCCESS)
        return HttpResponseRedirect(self._page())

    def _page(self) -> str:
        row = ModelSettings.objects.first()
        if row is None:
            return reverse("admin:plans_modelsettings_add")
        return reverse("admin:plans_modelsettings_change", args=[row.pk])

    def test(self, request: HttpRequest) -> HttpResponse:
        """Ask every configured model next to nothing and say what came of it."""
        if not self.has_change_permission(request):
            raise PermissionDenied
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        checked = connection.check(list(Tier))
        fine = bool(checked) and all(one.error is None for one in checked)
        for words in connection.told(checked):
            self.message_user(request, words, messages.SUCCESS if fine else messages.WARNING)
        return HttpResponseRedirect(self._page())


def _text(name: str, words: Any) -> Any:
    """Return a field that shows a long text on lines of its own."""

    @admin.display(description=words)
    def column(self: Any, call: ModelCall) -> SafeString | str:
        text = getattr(call, name)
        return format_html("<pre>{}</pre>", text) if text else "–"

    return column


@admin.register(ModelCall)
class ModelCallAdmin(ReadOnlyAdmin):
    change_list_template = "admin/plans/modelcall/change_list.html"
    list_display = [
        "at", "purpose", "model", "outcome", "run_link", "tokens_in", "output_tokens", "usd", "latency_ms", "tries",
    ]  # fmt: skip
    list_filter = ["outcome", "purpose", "model", "at"]
    list_select_related = ["run", "task"]
    search_fields = ["request_id", "problem", "run__goal", "run__uuid"]
    date_hierarchy = "at"
    fields = [
        "run_link", "task_link", "attempt", ("purpose", "model"), ("outcome", "problem"), ("request_id", "tries"),
        ("input_tokens", "cache_write_tokens", "cache_read_tokens", "output_tokens"), ("usd", "latency_ms"), "at",
        "request_shown", "thinking_shown", "reply_shown",
    ]  # fmt: skip
    run_link = parent("run", _("run"))
    task_link = parent("task", _("task"))
    request_shown = _text("request_text", _("request"))
    thinking_shown = _text("thinking_text", _("thinking"))
    reply_shown = _text("reply_text", _("reply"))

    @admin.display(description=_("input tokens"))
    def tokens_in(self, call: ModelCall) -> int:
        return call.input_tokens + call.cache_write_tokens + call.cache_read_tokens

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Leave the texts out of the list."""
        rows = super().get_queryset(request)
        is_list = request.resolver_match is not None and str(request.resolver_match.url_name).endswith("changelist")
        return rows.defer("request_text", "reply_text", "thinking_text") if is_list else rows

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Add what the calls on show took together."""
        response = super().changelist_view(request, extra_context)
        if isinstance(response, TemplateResponse) and response.context_data and "cl" in response.context_data:
            rows = response.context_data["cl"].get_queryset(request).order_by()
            response.context_data["spent"] = ledger.total(rows)
        return response
