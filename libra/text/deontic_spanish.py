"""Spanish deontic forms: data for :mod:`libra.text.deontic_latin`."""

from __future__ import annotations

import re
from typing import Final

from libra.ground.records import Modality
from libra.text.deontic_latin import Language

_AR: Final = """acept actualiz adopt agrup ajust anot añad aplic archiv asegur asign autoriz ayud borr cambi captur cit clasific codific coment compar complet comprob
    comunic confirm conserv consult control copi correg cre cuid dej desactiv desarroll detall document edit ejecut elev elimin emple encapsul envi esper espec
    estructur evalu evit examin explic export firm form formate formul garantiz grab guard habl ignor implement import indic inform instal inspeccion invent
    investig justific lanz limit llam list logr manej marc mencion mezcl mir modific mostr nombr not ocult olvid opt orden organiz par piens planific pregunt
    prepar present prioriz prob public pued rechaz recomend record redact reemplaz registr repas report respald respet resalt revis señal separ simplific
    sincroniz sobrescrib sub suger tom trabaj trat us utiliz valid verific vigil""".split()
"""Stems of verbs in -ar: "a", "e" (formal) and "ar" begin instructions."""

SPANISH: Final = Language(
    words=frozenset(
        """el los las una del que con para en es por se nunca siempre debe deben debes hay prohibido prohibida obligatorio sin antes después cada
        todos todas solo sólo nadie ningún ninguna está están al lo su sus tu eres puedes pero cuando si según jamás favor usted y la no nada muy más ya qué cómo eso esto ese aquí hasta desde entre ser fue han primero lugar vez""".split()
    )
    - {"no", "en", "y", "si", "tu", "solo", "favor"},
    forms=tuple(
        (modality, strong, re.compile(pattern))
        for modality, strong, pattern in (
            (
                Modality.PROHIBITION,
                True,
                r"\b(?:no|nunca|jamás)\s+(?:se\s+)?(?:debe[ns]?|deberán?|deberás|debería[ns]?|puede[ns]?|podrán?|permiten?|permite|admiten?|hay\s+que|tienes?\s+que|tienen\s+que)\b",
            ),
            (
                Modality.PROHIBITION,
                True,
                r"\b(?:nadie|ningún\s+\w+|ninguna\s+\w+)\s+(?:puede|debe|podrá|deberá)\b",
            ),
            (
                Modality.PROHIBITION,
                True,
                r"\bprohibid[oa]s?\b|\b(?:no\s+(?:está[n]?\s+)?(?:permitid[oa]s?|autorizad[oa]s?|aceptables?)|inaceptables?|vetad[oa]s?)\b",
            ),
            (
                Modality.OBLIGATION,
                True,
                r"\b(?:solo|sólo|solamente|únicamente)\s+(?:[^,.;:]{2,50}?)\s(?:puede[n]?|debe[n]?|podrán?)\b",
            ),
            (
                Modality.OBLIGATION,
                True,
                r"(?<!\byo )\b(?:debe|deben|debes|debéis|deberá|deberán|deberás)\b(?!\s+(?:de\s+)?(?:haber|ser\s+que|estar\s+(?:cansad|bromeando)))|\bhay\s+que\b|\b(?:tiene|tienen|tienes)\s+que\b|\bes\s+(?:obligatorio|imprescindible|necesario|importante|esencial)\s+(?!para\b)",
            ),
            (
                Modality.OBLIGATION,
                False,
                r"(?<!\besto )(?<!\beso )\b(?:debería|deberían|deberías)\b(?!\s+(?:haber|bastar|funcionar))",
            ),
            (
                Modality.OBLIGATION,
                True,
                r"\b(?:es|son)\s+(?:obligatori[oa]s?|de\s+obligado\s+cumplimiento)\b",
            ),
            (
                Modality.OBLIGATION,
                True,
                r"\A[\s*•>-]*(?:(?:todas|todos)\s+)?l[ao]s\s+(?:[\w-]+\s+){1,4}(?:siempre\s+se|nunca\s+se|se\s+\w+\s+siempre)\b",
            ),
            (
                Modality.PERMISSION,
                False,
                r"\b(?:puedes|usted\s+puede|el\s+agente\s+puede|se\s+permite[n]?|está\s+permitido)\b(?!\s+(?:ver|notar|encontrar|imaginar))",
            ),
        )
    ),
    imperatives=frozenset(stem + end for stem in _AR for end in ("a", "e", "ar", "en"))
    | frozenset(
        """añada añade añadir escribe escriba escribir responde responda responder lee lea leer sigue siga seguir pon ponga poner haz haga hacer sé sea mantén mantenga
        mantener prefiere prefiera preferir traduce traduzca traducir resume resuma resumir elige elija elegir da dé dar di diga decir ve vaya incluye incluya
        incluir define defina definir describe describa describir divide divida dividir devuelve devuelva devolver empieza empiece empezar comienza comience
        comenzar termina termine terminar cierra cierre cerrar piensa piense pensar recuerda recuerde recordar muestra muestre mostrar protege proteja
        proteger corrige corrija corregir busca busque buscar aplica aplique aplicar verifica verifique explica explique coloca coloque colocar indica indique
        comprueba compruebe comprobar prueba pruebe probar sube suba subir asegúrate asegúrese asegurarse convierte convierta reduce reduzca reducir
        envuelve escoge extrae genera genere generar crea cree obtén procura procure procurar tradúcelo ten tenga tener usad evitad escribid""".split()
    ),
    takes_of=frozenset("trata trate tratar deja deje dejar asegúrate asegúrese cuida cuide evita".split()),
    instruction=re.compile(
        r"(?P<not>(?:no|nunca|jamás)\s+(?:(?:lo|la|los|las|te|le|se|nunca)\s+)?(?!eres\b|tienes\b|es\b|estás\b|sabes\b|puedes\b|debes\b|quieres\b|necesitas\b|más\b|menos\b|errores\b|cambios\b)"
        r"[a-záéíóúñü]{2,20}(?:es|as|ar|er|ir|arlo|arla|éis|áis)\b"
        r"|(?:no|nunca|jamás)\s+(?:use|haga|modifique|ponga|diga|escriba|borre|suba|edite|cambie|elimine|comparta|guarde|envíe|ejecute|revele|invente|deje|cree|incluya|responda|toque|mezcle|registre)\b"
        r"|(?:ningún|ninguna|sin|nada\s+de|cero)\s(?![^.!]{0,80}\b(?:es|son|hay|está|están|se)\b)[^.!?:,]{3,70}(?=[.!]|\Z))"
        r"|por\s+favor,?\s+\w+|asegúrate\b|asegúrese\b|ten\s+en\s+cuenta\b|procur[ae]\b"
    ),
    negation=re.compile(r"\b(?:no|nunca|jamás)\b"),
    always=re.compile(r"\b(?:siempre|obligatoriamente|sin\s+excepción)\b"),
    openers=re.compile(
        r"(?:(?:luego|después|primero|siempre|y|pero|entonces|también|además|por\s+defecto|finalmente|por\s+favor|si\s+no|en\s+su\s+lugar),?\s+){1,3}"
    ),
    lead_in=re.compile(
        r"(?:si|cuando|antes|después|tras|al|para|en|sin|mientras|en\s+lugar|en\s+vez|a\s+menos|cada\s+vez|una\s+vez|salvo|según|con|ante|durante)\b"
    ),
    label=re.compile(
        r"(?:(?P<not>nunca|prohibido|no\s+permitido|jamás)|(?:muy\s+)?importante|obligatorio|regla(?:\s+\d{1,3})?|norma|siempre|principio)\s*!?\s*(?::|—|–|\s-\s)\s*\S"
    ),
    identity=re.compile(
        r"(?:eres|usted\s+es|actúa\s+como|actúe\s+como)\s+(?:un|una|el|la|nuestro|nuestra|mi|responsable|[\w-]+,\s+(?:un|una|el|la|nuestra|nuestro))\b"
    ),
    talk=re.compile(
        r"\b(?:ayer|la\s+semana\s+pasada|el\s+año\s+pasado|el\s+mes\s+pasado|anoche|en\s+aquel\s+entonces|antaño|érase\s+una\s+vez|había\s+una\s+vez"
        r"|dijo|decía|dijeron|afirmó|explicó|respondió|escribió|según\s+(?:el|la|un|una)\s+(?:proveedor|autor|cliente|artículo|jefe)"
        r"|tuve|tuvo|tuvimos|tuvieron|tenía|tenían|teníamos|debería\s+haber|deberíamos\s+haber|deberían\s+haber|debió|debieron|debíamos|debe\s+(?:de\s+)?haber|yo)\b"
    ),
)
