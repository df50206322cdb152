"""Phrases by which answers refuse, ask back, hand over or are merely polite: one pattern a line, by language; data."""

from __future__ import annotations

import regex

__all__ = ["ABSTAIN", "CLARIFY", "COURTESY", "ESCALATE", "REFER"]


def _lines(block: str) -> tuple[str, ...]:
    """Return one pattern a line; a line that starts with `>` goes on with the line before."""
    joined = regex.sub(r"\\\n\s*>", "", block)
    return tuple(line.strip() for line in joined.splitlines() if line.strip())


ABSTAIN = _lines(
    r"""
    \bi (?:do ?n[o']t|don t|can ?not|can'?t|could ?n[o']t) (?:know|find|answer|determine|provide|locate|tell|confirm)
    \bi (?:do ?n[o']t|don t) (?:have (?:enough|sufficient|any|that|this|the)|see any)
    \bi (?:am|was|'m) (?:not able|unable) to (?:know|find|answer|determine|provide|locate|tell|confirm)
    \b(?:we|the (?:assistant|system)) (?:do not|don't|cannot|can't) (?:know|find|answer|have (?:enough|any|that))
    \bunable to (?:answer|find|determine|provide)\b
    \bcannot (?:be (?:answered|determined|found)|answer|provide|determine)\b
    \b(?:no|not enough|insufficient) (?:relevant |sufficient |specific )?(?:information|data|answer|evidence)\b
    \b(?:is|are|was|were)(?: not|n't) (?:\p{L}+ly )?(?:mentioned|specified|stated|provided|covered|available|given\
    >|contained|found|present|included|described) (?:in|by|within|from) (?:the |any of the |this |these |our \
    >|my )?(?:\p{L}+ )?(?:contexts?|documents?|passages?|sources?|texts?|articles?|information|knowledge|materials?\
    >|data)\b
    \b(?:contexts?|documents?|passages?|sources?|texts?|information)(?: \p{L}+)? (?:do(?:es)? not|do(?:es)?n'?t)\
    > (?:\p{L}+ly )?(?:contain|mention|provide|specify|say|include|state|answer|have|give|cover|address)
    \bnone of the (?:\p{L}+ )?(?:contexts?|documents?|passages?|sources?)\b
    \bsorry,? (?:but )?i\b.{0,60}(?:\bnot\b|n't|\bunable\b)
    \bhave no (?:information|data|answer|knowledge)\b
    \b(?:it is|it's) (?:not |im)possible to (?:answer|determine|say)
    \bunanswerable\b
    \b(?:documents?|contexts?|passages?|sources?|texts?|knowledge base|materials?)\b(?: \p{L}+){0,6} (?:do(?:es)?\
    > not say|don't say|doesn't say|sa(?:y|ys) nothing|mentions? no|ha(?:ve|s) no|contains? no)\b
    \b(?:i |we )?(?:can ?not|can't|am not allowed to|may not) (?:reveal|disclose|share|discuss)\b
    не (?:знаю|располагаю|владею информацией|нашлось)(?![\p{L}])
    (?<![\p{L}])(?:я |мне )?не (?:могу|смог|смогла|удалось|сумел) (?:\p{L}+ ){0,2}(?:ответить|найти|сказать\
    >|определить|предоставить|подтвердить|обнаружить)
    (?<![\p{L}])не (?:нашёл|нашел|нашла|обнаружил|обнаружила)(?![\p{L}])
    (?<![\p{L}])(?:нет|недостаточно|не хватает|отсутству[ею]т) (?:\p{L}+ ){0,3}(?:информаци\p{L}|данных|сведени\p{L}\
    >|ответа?)(?![\p{L}])
    (?<![\p{L}])(?:информаци\p{L}|данных|данные|сведени\p{L}|ответа?)(?: [\p{L}«»"]+){0,6} (?:нет|отсутству\p{L}+\
    >|не (?:найден\p{L}*|указан\p{L}*|содерж\p{L}+|представлен\p{L}*|приведен\p{L}*))(?![\p{L}])
    (?<![\p{L}])(?:документ\p{L}*|контекст\p{L}*|источник\p{L}*|баз\p{L} знаний|материал\p{L}*)(?: \p{L}+){0,4}\
    > (?:нет (?:информации|ответа|данных|сведений)|не (?:содерж\p{L}+|сказано|указан\p{L}*|упомина\p{L}+|говорится\
    >|найден\p{L}*|описан\p{L}*|приведен\p{L}*))
    (?<![\p{L}])нет в (?:\p{L}+ ){0,3}(?:документ|баз[еу] знан|источник|контекст|материал)\p{L}*
    (?<![\p{L}])(?:документ\p{L}*|баз[еу] знаний|источник\p{L}*|контекст\p{L}*|материал\p{L}*)(?: \p{L}+){0,4} нет\W*$
    (?<![\p{L}])не (?:могу|можем|вправе) (?:раскры|разгла|сообщ|обсужда)\p{L}+
    ответить (?:на (?:этот|ваш|данный) вопрос )?(?:не могу|невозможно|нельзя|не получится)
    (?<![\p{L}])не (?:маю (?:інформації|даних|відповіді)|знайшов|знайшла|знайшлося|знаходжу)(?![\p{L}])
    (?<![\p{L}])не (?:можу|вдалося|зміг|змогла) (?:\p{L}+ ){0,2}(?:відповісти|знайти|сказати|надати|визначити\
    >|підтвердити)
    (?<![\p{L}])(?:немає|нема|недостатньо|бракує|відсутн\p{L}+) (?:\p{L}+ ){0,3}(?:інформаці\p{L}|даних\
    >|відомост\p{L}+|відповід\p{L}+)
    (?<![\p{L}])(?:інформаці\p{L}|даних|дані|відомост\p{L}+|відповід[іь])(?: [\p{L}'«»"]+){0,6} (?:немає|нема\
    >|відсутн\p{L}+|не (?:знайден\p{L}*|вказан\p{L}*|міст\p{L}+|наведен\p{L}*))
    (?<![\p{L}])(?:документ\p{L}*|контекст\p{L}*|джерел\p{L}*|матеріал\p{L}*)(?: \p{L}+){0,4} не (?:міст\p{L}+\
    >|сказано|вказан\p{L}+|згад\p{L}+|йдеться|знайден\p{L}*|описан\p{L}*)
    (?<![\p{L}])немає [ву] (?:\p{L}+ ){0,3}(?:документ|баз[іи] знан|джерел|контекст|матеріал)\p{L}*
    (?<![\p{L}])(?:документ\p{L}*|баз[іи] знань|джерел\p{L}*|контекст\p{L}*|матеріал\p{L}*)(?: \p{L}+){0,4} (?:немає\
    >|нема|не (?:вказан\p{L}*|описан\p{L}+))\W*$
    (?<![\p{L}])не (?:можу|можемо|маю права) (?:розкри|розголо|повідом|обговорю)\p{L}+
    білмеймін|біле алмаймын
    (?<![\p{L}])(?:білім қор|құжат|дереккөз)\p{L}*(?: \p{L}+){0,6} жоқ\W*$
    (?:аша|жария ете|бөлісе) алма(?:ймын|ймыз)
    (?:жауап бере|таба|айта|анықтай) алма(?:ймын|дым|дық|ймыз)
    (?<![\p{L}])(?:ақпарат|мәлімет|дерек|жауап)\p{L}*(?: \p{L}+){0,3} (?:жоқ|табылмады|табылған жоқ|жеткіліксіз\
    >|берілмеген|көрсетілмеген|айтылмаған)
    (?<![\p{L}])құжат\p{L}*(?: \p{L}+){0,5} (?:жоқ|табылмады|айтылмаған|көрсетілмеген|қамтылмаған|жазылмаған)
    ich weiß (?:es )?nicht|kann ich (?:\p{L}+ ){0,3}nicht (?:beantworten|finden|sagen)|keine (?:informationen|angaben)\b
    je ne sais pas|je ne (?:peux|trouve) pas|(?:pas|aucune) (?:d')?information
    \bno (?:lo )?sé\b|no (?:tengo|hay|encuentro|encontr[eé]) (?:\p{L}+ ){0,2}informaci[oó]n|no puedo responder
    \bnon lo so\b|\bnão sei\b|não (?:há|tenho|encontrei) (?:\p{L}+ ){0,2}informaç
    bilmiyorum|bilgi (?:yok|bulunamadı|bulunmuyor)|nie wiem|brak informacji|ik weet het niet
    لا أعرف|لا أعلم|لا (?:توجد|يوجد|تتوفر) (?:معلومات|إجابة)|لا أستطيع (?:الإجابة|العثور)
    (?:पता|मालूम) नहीं|नहीं (?:पता|जानता|जानती)|जानकारी (?:\p{L}\p{M}*+ ){0,3}नहीं
    我不知道|(?:没有|沒有|無|无)(?:相关|相關)?(?:信息|資訊|资料)|无法(?:回答|确定)|無法(?:回答|確定)
    わかりません|分かりません|情報(?:が|は)(?:ありません|見つかりません)
    """
)
CLARIFY = _lines(
    r"""
    (?:could|can|would) you (?:please )?(?:clarify|specify|tell me which|be more specific|say which|confirm which)
    please (?:clarify|specify|tell me which|let me know which)
    \b(?:do|did) you mean\b
    \bwhich (?:\p{L}+ ){1,4}(?:do|are|did|would) you\b
    уточните|(?:могли бы|можете) (?:вы )?(?:пожалуйста )?уточнить|вы имеете в виду
    как(?:ой|ая|ую|ое|ие|ом|их) (?:именно )?(?:\p{L}+ ){0,3}(?:вас интересу[ею]т|вы имеете|вам нуж[ен]н?\p{L}?\
    >|вы хотите)
    о как(?:ом|ой|их) (?:именно )?(?:\p{L}+ ){0,3}(?:идёт|идет) речь
    уточніть|(?:могли б|можете) (?:ви )?уточнити|ви маєте на увазі
    як(?:ий|а|у|е|і|ого|ої|их) (?:саме )?(?:\p{L}+ ){0,3}(?:вас цікав[ия]ть|ви маєте|вам потріб)
    про як(?:ий|у|е|і) (?:саме )?(?:\p{L}+ ){0,3}(?:йдеться|ідеться)
    нақтыла(?:ңыз|п|й)|нені меңзе|қай(?:сы)? (?:\p{L}+ ){0,4}(?:қызықтырады|туралы айт|айтасыз|керек)
    meinen sie\b|voulez-vous dire|se refiere a|你是指|请(?:说明|澄清)
    """
)
ESCALATE = _lines(
    r"""
    \b(?:i'll|i will|i am|i'm|we'll|we will|we are|let me) (?:\p{L}+ ){0,3}(?:escalat|transfer|forward|connect|pass\
    >|hand)\p{L}*
    \b(?:transferring|forwarding|connecting|escalating|handing) (?:you|this|your)\b
    \b(?:has|have) been (?:escalated|forwarded|passed) to\b
    \b(?:a|our) (?:\p{L}+ )?(?:human|specialist|colleague|operator|agent) will (?:contact|call|get back|help|reply)
    (?:переда(?:ю|м|дим|л|ла|ли|ём)|перево(?:жу|дим)|переведу|переключаю|соедин(?:яю|ю|им)|направ(?:ляю|лю|им))\
    > (?:\p{L}+ ){0,5}(?:специалист|оператор|сотрудник|коллег|менеджер|отдел|поддержк|служб)\p{L}*
    (?<![\p{L}])(?:вопрос|запрос|обращение) (?:уже )?(?:передан\p{L}*|направлен\p{L}*|эскалир\p{L}+)
    (?:с вами свяжется|вам (?:ответит|перезвонит)) (?:\p{L}+ ){0,2}(?:специалист|оператор|сотрудник|менеджер)
    (?:переда(?:ю|м|но|ємо)|перемикаю|з'єдную|направляю|скеровую) (?:\p{L}+ ){0,5}(?:спеціаліст|оператор|фахів\
    >|працівник|менеджер|відділ|служб)\p{L}*
    (?<![\p{L}])(?:запит|питання|звернення) (?:вже )?(?:передан\p{L}*|направлен\p{L}*|скерован\p{L}*)
    з вами зв'яжеться
    (?<![\p{L}])(?:сұра[қғ]\p{L}*|өтініш\p{L}*)(?: \p{L}+){0,4} (?:жібер|тапсыр|жолда)\p{L}+
    (?:маман|оператор|қызметкер)(?:ға|ге|мен|дарға|лерге)(?: \p{L}+){0,3} (?:жібер|қос|байланыстыр|тапсыр|жолда)\p{L}+
    маман\p{L}* (?:сізге|сізбен) (?:хабарлас|байланыс)\p{L}+
    """
)
COURTESY = _lines(
    r"""
    hello|hi|hey|good (?:morning|afternoon|evening|day)|thank(?:s| you)[^.!]{0,60}|you(?:'re| are) welcome
    have a (?:nice|great|good) day|(?:i )?hope (?:this|that|it) helps|sure|certainly|of course|great question
    (?:please )?(?:feel free|don't hesitate|let me know)[^.!]{0,100}|happy to help|i'm sorry|sorry
    here(?:'s| is| are) [^.!]{0,60}:?|if you have (?:any )?(?:more |other |further )?questions[^.!]{0,80}
    здравствуйте|добрый (?:день|вечер)|доброе утро|привет|спасибо[^.!]{0,60}|пожалуйста|рад(?:ы|а)? помочь
    хорошего дня|всего доброго|обращайтесь[^.!]{0,40}|конечно|надеюсь[^.!]{0,40}
    если у вас (?:есть|возникнут|остались|появятся) (?:\p{L}+ ){0,3}вопрос\p{L}*[^.!]{0,80}
    вітаю|добрий (?:день|вечір)|доброго (?:дня|ранку|вечора)|дякую[^.!]{0,60}|будь ласка|гарного дня|звичайно
    рад(?:ий|і|а) допомогти|звертайтеся[^.!]{0,40}
    якщо у вас (?:є|виникнуть|залишилися) (?:\p{L}+ ){0,3}(?:за)?питан\p{L}*[^.!]{0,80}
    сәлеметсіз бе|қайырлы (?:күн|таң|кеш)|ра[қх]мет[^.!]{0,60}|әрине|сұрақтарыңыз (?:болса|туындаса)[^.!]{0,80}
    """
)
REFER = _lines(
    r"""
    ^\W*(?:please )?(?:contact|call|ask|visit|check|consult|refer)\b
    обратитесь|позвоните|уточните|свяжитесь|рекоменду[юе]|зверніться|зателефонуйте|уточніть|рекомендую
    хабарласыңыз|жүгініңіз|қоңырау шалыңыз
    """
)
"""Sentences that send the reader elsewhere: they say nothing against a refusal."""
