"""Vietnamese deontic forms."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from libra.ground.records import Modality
from libra.text.deontic_forms import Finding, Sentence
from libra.text.scripts import VIETNAMESE_CLASS

_ANY: Final = re.compile(f"[{VIETNAMESE_CLASS}ãáàéèêíìóòôõúùýâ\u0300-\u0323]", re.IGNORECASE)
_FORMS: Final = (
    (
        Modality.PROHIBITION,
        True,
        r"(?:không ai(?:\s+\w+){0,3}?\s+được(?:\s+phép)?|không ai (?:nên|có thể))|(?:tuyệt đối\s+|nhất định\s+)?(?:không được(?:\s+phép)?|không bao giờ(?:\s+được)?|đừng(?:\s+bao giờ)?|chớ|nghiêm cấm|cấm|bị cấm|tuyệt đối không|không nên|không thể để|cấm không)",
    ),
    (Modality.PERMISSION, False, r"(?:bạn|agent|trợ lý)\s+(?:được phép|có thể)"),
    (
        Modality.OBLIGATION,
        True,
        r"(?:bắt buộc|luôn luôn|luôn|nhất định phải|nhất thiết phải|phải|chỉ được|chỉ\s+(?:có\s+)?(?:\w+\s+){1,6}?(?:mới\s+)?được(?:\s+phép)?)",
    ),
    (
        Modality.OBLIGATION,
        False,
        r"(?:hãy|nên|cần(?:\s+phải)?|ưu tiên|đảm bảo|bảo đảm|chắc chắn rằng|nhớ|tránh)",
    ),
)
_PATTERNS: Final = tuple((m, s, re.compile(rf"(?<!\w)(?:{p})(?!\w)")) for m, s, p in _FORMS)
_START: Final = re.compile(
    r"\A[\s\-*•>\d.)\"“\[\]]*(?:vui lòng\s+|xin\s+|trước tiên,?\s+|sau đó,?\s+|(?:nếu|khi|trước khi|sau khi|sau mỗi|trước mỗi|với mỗi|mỗi khi|mỗi lần|với|đối với|ở|trong|để|khi nào)\s[^,]{2,80},\s*(?:hãy\s+|thì\s+)?)?"
    r"(?:dùng|sử dụng|chạy|kiểm tra|viết|giữ|trả lời|đọc|ghi|đảm bảo|hỏi|thêm|xóa|xoá|tạo|đặt|nói|cập nhật|tuân thủ|tuân theo|ưu tiên|tránh|xác nhận|trích dẫn|báo cáo|gửi|lưu|sửa|tìm|tóm tắt|gộp|liệt kê|mô tả|giải thích|thay thế|thay(?! đổi)|chia|tách|chọn|kết thúc|bắt đầu|dừng|chờ|đánh dấu|đính kèm|bỏ|loại bỏ|nêu|nhắc|phân tích|so sánh|dịch(?! vụ)|mở(?! rộng| đầu)|đóng|chuyển|áp dụng|thực hiện|tôn trọng|sắp xếp|gọi|nhập|không (?:gộp|dùng|sử dụng|sửa|xoá|xóa|gửi|ghi|chạy|đẩy|thêm|viết|đặt|tiết lộ|chia sẻ|lưu|bỏ qua|thay đổi|trả lời|tự ý|đoán|bịa))(?!\w)(?!\s+(?:là|được|đã|sẽ|bởi))"
)
_IDENTITY: Final = re.compile(r"\A[\s\-*•>]*bạn là(?!\s+(?:ai|gì))(?!\w)")
_QUESTION: Final = re.compile(r"[?？]\s*\Z|(?:không|chưa|hả|nhỉ|à|sao|gì)\s*\?\s*\Z")
_TALK: Final = re.compile(
    r"(?<!\w)(?:(?:khách|khách hàng|sếp|quản lý|tác giả|người ta|bạn tôi|thầy|báo) (?:\w+ )?(?:nói|bảo|kể|cho rằng|viết)|không phải|phải không|phải chăng|phải rồi|phải chi|vừa phải|bên phải|tay phải|lẽ phải|(?:tôi|anh ấy|cô ấy|ông ấy|bà ấy|họ|nó|mình|hắn)\s+(?:đã\s+|từng\s+|luôn\s+)?(?:phải|luôn|cần|nên|không nên|không được|không bao giờ)|"
    r"đã phải|hôm qua|năm ngoái|tuần trước|ngày xưa|anh ấy nói|cô ấy nói|họ nói|kể rằng|cho nên|(?:vì vậy|vì thế|do đó|do vậy)\s+nên|nên đã|trở nên|cần thiết|chắc phải|hẳn phải)(?!\w)"
)
_NOT_MUST: Final = re.compile(r"(?<!\w)(?:không phải|cho nên|trở nên|cần thiết|bên phải)(?!\w)")


def has_accents(text: str) -> bool:
    """Return True if a text holds a letter that Vietnamese writes with a mark."""
    return _ANY.search(text) is not None


def find(sentence: Sentence) -> list[Finding]:
    """Return the Vietnamese forms of one sentence."""
    if _ANY.search(sentence.lower) is None:
        return []
    low = sentence.lower
    composed = unicodedata.normalize("NFC", low)
    exact = len(composed) == len(low)
    if _QUESTION.search(composed) or _TALK.search(composed):
        return []
    out: list[Finding] = []
    taken = bytearray(len(composed))
    for modality, strong, pattern in _PATTERNS:
        for match in pattern.finditer(composed):
            if any(taken[match.start() : match.end()]):
                continue
            taken[match.start() : match.end()] = b"\1" * (match.end() - match.start())
            span = match.span() if exact else (0, len(low))
            out.append(Finding(modality, sentence.start + span[0], sentence.start + span[1], "form", strong))
    for pattern, form in ((_START, "imperative"), (_IDENTITY, "identity")):
        match2 = pattern.match(composed)
        if match2 and not out:
            end = match2.end() if exact else len(low)
            out.append(Finding(Modality.OBLIGATION, sentence.start, sentence.start + end, form))
    return out
