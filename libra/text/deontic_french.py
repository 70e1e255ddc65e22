"""French deontic forms: data for :mod:`libra.text.deontic_latin`."""

from __future__ import annotations

import re
from typing import Final

from libra.ground.records import Modality
from libra.text.deontic_latin import Language

_NEVER: Final = r"(?:pas|jamais|plus|rien|aucun|aucune|personne|en\s+aucun\s+cas|guère|que)"
_ER: Final = """accept adopt affich ajout align appliqu arrêt attribu auto-évalu cach chang cherch cit class cod command comment commenc communiqu compar complét
    concern confirm conserv consult contrôl copi corrig crée cré décid déclar demand déplac détaill document donn écout effac élimin emploi encapsul envoi évit
    examin exécut expliqu export factoris ferm focalis form formul fourni gard gér group ignor import indiqu inform initialis install interrog invent isol
    justifi lanc laiss limit list localis log mentionn mett modifi montr nett nettoy nomm not oubli ouvr parl partag pens plac planifi pos précis préfèr préfér
    prépar présent prioris privilégi propos protég raisonn rang rapport rédig refus regard regroup remplac renomm renvoi répèt répét repéer respect rest
    résum retourn révis sauvegard sépar signal simplifi soign soulign spécifi stock structur suggér supprim test tir trait transform travers travaill trouv
    utilis valid vérifi veill vis""".split()
"""Stems of verbs in -er: "e" and "ez" are imperatives, "er" stands for one in lists of rules."""

FRENCH: Final = Language(
    words=frozenset(
        """les des une est pas dans pour sur avec le la du et ne jamais toujours il faut doit doivent devez dois qui que au aux sont ce cette ces
        tu vous être interdit interdite obligatoire sans avant après si chaque tous toutes tout seul seule merci veuillez aucun aucune plutôt un par règle règles mais où très comme leur nos notre votre elle ils nous plus""".split()
    ),
    forms=tuple(
        (modality, strong, re.compile(pattern))
        for modality, strong, pattern in (
            (
                Modality.PROHIBITION,
                True,
                rf"\bne\s+(?:\w+\s+)?(?:doit|doivent|dois|devez|devrait|devraient|peut|peuvent|peux|pouvez|faut)\s+(?:\w+\s+)?{_NEVER}\b|\bne\s+faut\s+(?:surtout\s+)?{_NEVER}\b",
            ),
            (
                Modality.PROHIBITION,
                True,
                r"\b(?:personne|nul|aucune?\s+\w+)\s+ne\s+(?:peut|doit|devrait)\b",
            ),
            (
                Modality.PROHIBITION,
                True,
                r"\b(?:interdite?s?|proscrite?s?|prohibée?s?|à\s+proscrire|défense\s+de)\b|\bpas\s+(?:autorisée?s?|permise?s?|permis|acceptables?|tolérée?s?)\b",
            ),
            (Modality.OBLIGATION, True, r"\bseule?s?\s+(?:[^,.;:]{2,50}?)\s(?:peut|peuvent|doit|doivent)\b"),
            (
                Modality.OBLIGATION,
                True,
                r"(?<!\bje )(?<!\bnous )(?<!\bil )(?<!\belle )\b(?:doit|doivent|dois|devez)\b(?!\s+avoir\s+(?:été|eu|fait|\w+é)\b)(?!\s+être\s+(?:fatigu|en\s+train))|\bil\s+faut\b|\bil\s+est\s+(?:obligatoire|impératif|essentiel|nécessaire|important)\s+(?:de|d'|que)",
            ),
            (
                Modality.OBLIGATION,
                False,
                r"\b(?:devraient|devriez|devrais)\b(?<!je devrais)|(?<!\bça )(?<!\bcela )\bdevrait\b(?!\s+(?:suffire|marcher|fonctionner))",
            ),
            (Modality.OBLIGATION, True, r"\b(?:est|sont)\s+(?:obligatoires?|exigée?s?|imposée?s?)\b"),
            (
                Modality.OBLIGATION,
                True,
                r"\A[\s*•>-]*(?:(?:tous|toutes)\s+)?les\s+(?:[\w'-]+\s+){1,4}(?:sont|restent)\s+toujours\b|\A[\s*•>-]*les\s+(?:[\w'-]+\s+){1,4}ne\s+sont\s+jamais\b",
            ),
            (
                Modality.PERMISSION,
                False,
                r"\b(?:tu\s+peux|vous\s+pouvez|l'agent\s+peut|il\s+est\s+permis)\b(?!\s+(?:voir|constater|remarquer|trouver|imaginer))",
            ),
        )
    ),
    imperatives=frozenset(stem + end for stem in _ER for end in ("e", "ez", "er"))
    | frozenset(
        """écris écrivez écrire réponds répondez répondre lis lisez lire suis suivez suivre mets mettez mettre fais faites faire sois soyez traduis traduisez
        traduire attends attendez attendre choisis choisissez choisir maintiens maintenez maintenir définis définissez définir fournis fournissez fournir
        décris décrivez décrire produis produisez produire prends prenez prendre retiens retenez retenir réfléchis réfléchissez réfléchir construis
        construisez construire interromps garantis garantissez garantir assure assurez s'assurer tiens tenez dis dites inclus incluez inclure réduis
        réduisez réduire va allez ouvre ouvrez ouvrir convertis convertissez mens mentez souviens souvenez sers servez agis agissez agir remets remettez
        découpe découpez découper évite évitez éviter""".split()
    ),
    takes_of=frozenset(
        "évite évitez éviter essaie essayez essayer arrête arrêtez cesse cessez rappelle tiens tenez".split()
    ),
    instruction=re.compile(
        rf"(?P<not>(?:ne\s+|n')(?:(?:jamais|pas|plus|rien)\s+)?(?!est\b|sont\b|a\b|ont\b|fut\b|était\b)[\w'-]+(?:\s+[\w'-]+){{0,3}}?\s+{_NEVER}\b|ne\s+(?:jamais|pas|surtout\s+pas|rien)\s+[\w'-]+"
        r"|(?:aucune?|jamais\s+de|pas\s+d[e'])(?!\s*(?:problème|souci|panique|quoi|erreur))\s*(?![^.!]{0,80}\b(?:est|sont|a|ont|ne|n')\b)[^.!?:]{3,70}(?=[.!]|\Z))"
        r"|(?!chez\b|assez\b|nez\b|rez\b|avez\b|êtes\b|pouvez\b|devez\b|voulez\b|savez\b|verrez\b|aurez\b|serez\b)[a-zà-ÿœ]{2,18}ez\s"
        r"|(?:merci\s+de|prière\s+de|veuillez|pensez?\s+à|veille[zr]?\s+à|assure-toi|assurez-vous|il\s+convient\s+de)\b"
    ),
    negation=re.compile(r"\bn[e'].{0,40}\b(?:pas|jamais|plus|rien|aucune?)\b|\bjamais\b"),
    always=re.compile(r"\b(?:toujours|impérativement|obligatoirement|systématiquement)\b"),
    openers=re.compile(
        r"(?:(?:puis|ensuite|enfin|d'abord|toujours|et|mais|alors|sinon|également|aussi|donc|par\s+défaut|svp|s'il\s+(?:te|vous)\s+plaît),?\s+){1,3}"
    ),
    lead_in=re.compile(
        r"(?:si|s'il|s'ils|lorsqu[e']|quand|dès|tant\s+que|avant|après|pour|en|dans|sans|pendant|au\s+lieu|à|chaque\s+fois|une\s+fois|sauf|selon)\b"
    ),
    label=re.compile(
        r"(?:(?P<not>jamais|interdit|non\s+autorisé|à\s+proscrire)|(?:très\s+)?important|obligatoire|règle(?:\s+\d{1,3})?|consigne|impératif|toujours|principe)\s*!?\s*(?::|—|–|\s-\s)\s*\S"
    ),
    identity=re.compile(
        r"(?:tu\s+es|vous\s+êtes|agis\s+comme|agissez\s+comme|agissez\s+en)\s+(?:un|une|le|la|l'|notre|mon|responsable|[\w'-]+,\s+(?:un|une|le|la|notre)\b)"
    ),
    talk=re.compile(
        r"\b(?:hier|la\s+semaine\s+dernière|l'an\s+dernier|l'année\s+dernière|le\s+mois\s+dernier|à\s+l'époque|autrefois|jadis|il\s+était\s+une\s+fois"
        r"|(?:a|ont|avait|avaient)\s+(?:dit|écrit|affirmé|expliqué|raconté|répondu|déclaré)|disait|selon\s+(?:le|la|un|une|l')\s*(?:fournisseur|auteur|client|article|chef)"
        r"|aurais?\s+dû|aurait\s+dû|auraient\s+dû|avons\s+dû|ai\s+dû|a\s+dû|ont\s+dû|il\s+fallait|il\s+a\s+fallu|devais|devait|devaient)\b"
        r"|(?:\A|[\s,;])(?:je\s|j'|elle\s+ne\s|nous\s+ne\s|ils\s+ne\s)"
    ),
)
