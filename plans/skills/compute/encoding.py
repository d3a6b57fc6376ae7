"""Find the encoding of a text file, small ones included, where statistics alone know too little."""

from __future__ import annotations

import codecs
import re

SAMPLE_BYTES = 256 * 1024
BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# The commonest characters tell scripts apart whose bytes overlap: a nudge where both readings are valid.
FREQUENT = {
    "gb18030": "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可"
    "也你对生能而子那得于着下自之年过发后作里日期金额数量商品名称地区城市销售订单客户产品收入支出单价合计时间类型状态备注交易姓名电话部门华东北南西京海广深州",
    "big5": "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡"
    "日期金額數量商品名稱地區城市銷售訂單客戶產品收入支出單價合計時間類型狀態備註交易姓名電話部門台北高雄中南新竹",
    "euc_kr": "이다는의에하가을를고지은로한도서기사자리대어시인아정나일부제수해그있"
    "상원전보라스과주들장구공동무연관매출금액지역날짜서울부산합계수량상품이름고객주문번호단가월",
    "shift_jis": "",
    "euc_jp": "",
}
LEVEL_ONE_LEADS = {"gb18030": (0xB0, 0xD7), "big5": (0xA4, 0xC6), "euc_kr": (0xB0, 0xC8)}
CODECS = {"gb18030": "gb2312", "big5": "big5", "euc_kr": "euc_kr"}
DOUBLE_BYTE = ("gb18030", "big5", "shift_jis", "euc_jp", "euc_kr")
OTHER_SCRIPTS = ("cp1251", "koi8_r", "cp866", "cp1253", "cp1255", "cp1256", "cp874")
HIGH_RUN = re.compile(rb"[\x80-\xff]{3,}")
HIGH = re.compile(rb"[\x80-\xff]")
# Letters of Central Europe that cp1252 shows as signs (ł as ³, Ł as £): before or within a word that cannot be meant.
SIGNS = re.compile(rb"[\xa3\xaf\xb3\xb9][a-z\xe0-\xff]|[A-Za-z\xc0-\xff][\xbf\x9f\xbe\xba\xaa\xa5][a-z\xe0-\xff]")


def detect(data: bytes) -> str:
    """Return a Python codec name. Always one that decodes most of `data`; use errors="replace" and count."""
    for bom, name in BOMS:
        if data.startswith(bom):
            return name
    if wide := _wide(data):
        return wide
    if _is_utf8(data):
        return "utf-8"
    return _legacy(_interesting(data))


def _wide(data: bytes) -> str | None:
    """UTF-16 without a mark: every other byte of Latin text is NUL."""
    sample = data[:4096]
    if len(sample) < 4:
        return None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd * 5 > len(sample) and even * 10 < odd:
        return "utf-16-le"
    if even * 5 > len(sample) and odd * 10 < even:
        return "utf-16-be"
    return None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
        return True
    except UnicodeDecodeError:
        # A few damaged bytes, or a last character that was cut, do not make it another encoding.
        text = data.decode("utf-8", "surrogateescape")
        bad = sum(1 for char in text if "\udc80" <= char <= "\udcff")
        good = sum(1 for char in text if char > "\x7f") - bad
        return good > 10 * bad


def _interesting(data: bytes) -> bytes:
    """Return the lines that hold bytes above 127: the rest says nothing."""
    if len(data) <= SAMPLE_BYTES:
        return data
    picked: list[bytes] = []
    size = 0
    for line in data.splitlines(keepends=True):
        if HIGH.search(line):
            picked.append(line)
            size += len(line)
            if size > SAMPLE_BYTES:
                break
    return b"".join(picked)


def _legacy(data: bytes) -> str:
    scores = {name: score for name in DOUBLE_BYTE if (score := _double_byte_score(data, name)) > 0}
    if scores:
        best = max(scores, key=lambda name: scores[name])
        if scores[best] >= 0.75:
            return _superset(data, best)
    return _single_byte(data)


def _decoded(data: bytes, name: str) -> str | None:
    # The sample may end within a character.
    for cut in (0, 1):
        try:
            return data[: len(data) - cut].decode(name)
        except UnicodeDecodeError:
            continue
    return None


def _double_byte_score(data: bytes, name: str) -> float:
    """Return how much of the text is in everyday characters, 0 when it cannot be read so at all."""
    codec = {"shift_jis": "cp932", "big5": "cp950", "euc_kr": "cp949"}.get(name, name)
    text = _decoded(data, codec)
    if text is None:
        return 0.0
    chars = [char for char in text if char > "\x7f"]
    if len(chars) < 2:
        return 0.0
    if name in ("shift_jis", "euc_jp"):
        return _japanese_score(chars)
    good = sum(_everyday(char, name) for char in chars)
    frequent = sum(char in FREQUENT[name] for char in chars)
    return good / len(chars) + 0.5 * frequent / len(chars)


def _everyday(char: str, name: str) -> float:
    try:
        raw = char.encode(CODECS[name])
    except UnicodeEncodeError:
        return 0.0
    low, high = LEVEL_ONE_LEADS[name]
    if len(raw) == 2 and low <= raw[0] <= high:
        return 1.0
    # Punctuation and full-width forms fit any of them.
    return 0.7 if "\u3000" <= char <= "\u303f" or "\uff00" <= char <= "\uff60" else 0.0


def _japanese_score(chars: list[str]) -> float:
    kana = sum("\u3041" <= char <= "\u30fe" for char in chars)
    half_width = sum("\uff61" <= char <= "\uff9f" for char in chars)
    ideographs = sum("\u4e00" <= char <= "\u9fff" for char in chars)
    if not kana or half_width > len(chars) * 0.2:
        return 0.0
    # Japanese prose is a third kana; Chinese read as Japanese has hardly any.
    return (kana + ideographs) / len(chars) + min(0.6, kana / len(chars))


def _superset(data: bytes, name: str) -> str:
    wider = {"big5": ("big5", "cp950", "big5hkscs"), "shift_jis": ("shift_jis", "cp932"), "euc_kr": ("euc_kr", "cp949")}
    for codec in wider.get(name, (name,)):
        if _decoded(data, codec) is not None:
            return codec
    return wider[name][1]


def _single_byte(data: bytes) -> str:
    high = len(HIGH.findall(data))
    runs = sum(len(run) for run in HIGH_RUN.findall(data))
    # Western letters stand alone among ASCII; Cyrillic, Greek, Hebrew, Arabic and Thai words are made of high bytes.
    if high >= 6 and runs * 2 > high:
        # Imported here: few files get this far, and it costs as much as the rest of the start.
        from charset_normalizer import from_bytes

        best = from_bytes(data, cp_isolation=list(OTHER_SCRIPTS), threshold=0.6).best()
        if best is not None:
            return best.encoding
    if len(SIGNS.findall(data)) * 4 > high and _decoded(data, "cp1250") is not None:
        return "cp1250"
    if _decoded(data, "cp1252") is not None:
        return "cp1252"
    # Bytes that cp1252 does not have: a DOS console's code page, as of `systeminfo`, is the likeliest.
    return "cp850" if re.search(rb"[a-z][\x81\x8d\x82\x84\x85\x8a\x94][a-z\s]", data) else "latin-1"
