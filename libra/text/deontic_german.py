"""German deontic forms: data for :mod:`libra.text.deontic_latin`."""

from __future__ import annotations

import re
from typing import Final

from libra.ground.records import Modality
from libra.text.deontic_latin import Language

_NOT: Final = r"(?:nicht|nie|niemals|kein\w{0,2}|niemand|keinesfalls|unter\s+keinen\s+umständen)"
_IN: Final = r"[^,.;:!]{0,90}?"
_MUST: Final = r"(?:muss|musst|müssen|müsst|soll|sollst|sollen|sollt|sollte|solltest|sollten|hat|haben|hast)"
_FINITE: Final = r"\b(?:ist|sind|war|waren|wird|werden|wurde|wurden|hat|haben|hatte|kann|können|muss|müssen|soll|sollen|darf|dürfen|will|wollen|gibt|läuft|laufen|liegt|liegen|steht|stehen|wir|ich|er|es|sie|man)\b"
GERMAN: Final = Language(
    words=frozenset(
        """der das und nicht ist ein eine einen einem einer mit für auf den dem zu immer nie niemals kein keine keinen muss müssen musst soll sollen
        zuerst dann noch schon auch sich als wie um oder pro jederzeit sofort sollte sollten darf dürfen darfst werden wird sind bei vor nach wenn falls bevor nur alle jede jeder jedes bitte oder von im aus du sie ihr verboten
        erlaubt untersagt stets ohne aber durch über unter zum zur statt keinesfalls wichtig regel""".split()
    ),
    forms=tuple(
        (modality, strong, re.compile(pattern))
        for modality, strong, pattern in (
            (
                Modality.PROHIBITION,
                True,
                rf"\b(?:darf|darfst|dürfen|dürft|kannst)\b{_IN}\b{_NOT}\b|\b{_NOT}\b(?=[^,.;:!]{{0,60}}\b(?:darf|dürfen)\b)[^,.;:!]{{0,60}}?\b(?:darf|dürfen)\b",
            ),
            (
                Modality.PROHIBITION,
                True,
                r"\b(?:verboten|untersagt|tabu|unzulässig|unerwünscht)\b|\b(?:nicht|nie)\s+(?:erlaubt|gestattet|zulässig|erwünscht)\b",
            ),
            (
                Modality.PROHIBITION,
                True,
                rf"(?<!\bich )(?<!\ber )\b(?:soll|sollst|sollen|sollte|solltest|sollten|musst|müssen)\b{_IN}\b{_NOT}\b",
            ),
            (
                Modality.OBLIGATION,
                True,
                r"\bnur\b[^,.;:!]{1,60}?\b(?:darf|dürfen)\b|\b(?:darf|dürfen)\b[^,.;:!]{0,40}?\bnur\b",
            ),
            (
                Modality.OBLIGATION,
                True,
                r"(?<!\bich )(?<!\bwir )(?<!\ber )\b(?:muss|musst|müssen|müsst)\b(?!\s+(?:ich|wir|wohl)\b)",
            ),
            (
                Modality.OBLIGATION,
                False,
                r"(?<!\bich )(?<!\bwir )(?<!\ber )\b(?:soll|sollst|sollen|sollt|sollte|solltest|sollten)\b(?!\s+(?:ich|wir|jetzt|nun|eigentlich|reichen|genügen|funktionieren|klappen|bald)\b)",
            ),
            (
                Modality.OBLIGATION,
                True,
                r"\b(?:ist|sind)\b(?![^,.;:!]{0,80}\b(?:schwer|leicht|einfach|schwierig|gut|kaum|nicht)\s+\w{0,4}zu)[^,.;:!]{0,80}?\s(?:zu\s+[a-zäöü]{2,20}n|[a-zäöü]{2,8}zu[a-zäöü]{3,16}en)\b",
            ),
            (
                Modality.OBLIGATION,
                True,
                r"\b(?:ist|sind)\s+(?:\w+\s+)?(?:pflicht|verpflichtend|vorgeschrieben|zwingend)\b",
            ),
            (
                Modality.OBLIGATION,
                True,
                r"\A[\s*•>-]*(?:alle\s+)?[a-zäöüß-]{4,30}\s+(?:werden|sind)\s+(?:immer|stets|nie|niemals)\s",
            ),
            (Modality.OBLIGATION, False, r"\bgehör(?:t|en)\s+(?:nach|in|ins|unter|neben)\b"),
            (
                Modality.PERMISSION,
                False,
                r"\b(?:du|ihr|agenten?|der\s+agent)\s+(?:darfst|dürft|dürfen|darf)\b|\bdarfst\s+du\b",
            ),
            (
                Modality.PERMISSION,
                False,
                r"\b(?:ist|sind)\s+(?:ausdrücklich\s+|auch\s+)?(?:erlaubt|gestattet)\b",
            ),
        )
    ),
    imperatives=frozenset(
        """achte aktualisiere behebe bedenke analysiere ändere antworte arbeite baue beachte bearbeite beende beginne begründe behalte behandle benenne benutze beschränke
        beschreibe bestätige bevorzuge bewahre bleib bleibe brich bring denk denke dokumentiere entferne entscheide erfinde erkläre ersetze erstelle
        erwähne fang fange fasse folge formatiere formuliere frag frage führe füge gehe gib gliedere gruppiere halt halte hole ignoriere importiere informiere
        installiere kapsele kennzeichne kommentiere kopiere korrigiere kürze lass lasse leg lege leite lies liste lösche mach mache markiere melde merke
        nenne nimm notiere nutze öffne ordne priorisiere prüf prüfe ruf rufe sammle schließe schreib schreibe sei sende setz setze sichere sorge
        sortiere speichere sprich starte stell stelle stimme stoppe such suche teile teste trenne übernimm überprüfe übersetze unterlass unterscheide unterteile validiere
        verändere vergiss vergleiche verlass verlasse vermeide verschiebe verschlüssele verschweige versuche verweise verwende verzichte wähle warte wechsle
        weise wiederhole zeige zerlege ziehe zitiere beantworte committe pushe merge respektiere strukturiere verifiziere bitte""".split()
    ),
    takes_of=frozenset(),
    instruction=re.compile(
        rf"(?P<own>(?!alle\b|diese\b|jede\b|welche\b|keine\b|eine\b|meine\b|deine\b|seine\b|ihre\b|unsere\b|manche\b|viele\b|einige\b|beide\b|solche\b|neue\b|ohne\b|gerade\b|heute\b)"
        rf"[a-zäöüß]{{2,18}}[a-zß]e\s+(?:den|das|zuerst|es|keine|keinen|einen|alle|immer|nie)\b(?![^.!]{{0,80}}{_FINITE}))|"
        rf"(?P<formal>(?!haben\b|sind\b|können\b|wissen\b|kennen\b|müssen\b|sollen\b|dürfen\b|werden\b|wollen\b|finden\b|sehen\b)[a-zäöüß]{{2,20}}n\s+sie\s+(?!\w+\s*\?))"
        rf"|(?P<not>kein(?:e|en|er|erlei)?\s(?!problem|wunder|thema|ding|ahnung|zweifel|grund|sorge|stress)(?![^.!]{{0,80}}{_FINITE})[^.!?:]{{2,70}}(?=[.!]|\Z)"
        rf"|(?:nie|niemals|nicht|nichts|auf\s+keinen\s+fall|keinesfalls)\s(?![^.!,]{{0,120}}{_FINITE})[^.!?:]{{0,120}}?[a-zäöüß]{{2,}}(?:en|ern|eln)(?=\s*(?:[.!,;]|\Z)))"
        rf"|(?:immer|stets|bitte|zuerst|vor|nach|bei|für|vorher|danach|jede[nrs]?|alle|neue|nur)\s(?![^.!]{{0,140}}{_FINITE})[^.!?:,]{{2,140}}?\s[a-zäöüß]{{2,20}}(?:en|ern|eln)(?=\s*(?:[.!;]|\Z))"
        rf"|(?![^.!,]{{0,140}}{_FINITE})[^.!?:,]{{4,100}}?\s(?:an|aus|ein|ab|auf|vor|zu|ver|be|er|ent|über|unter|nach|mit|durch)?[a-zäöü]{{0,16}}(?:legen|führen|schreiben|verwenden|nutzen|prüfen|halten|setzen|testen|geben|stellen|lassen|machen|speichern|aktualisieren|dokumentieren|vermeiden|löschen|ändern|lesen|nehmen|fragen)(?=\s*(?:[.!;]|\Z|,\s*(?:bevor|ehe|wenn|falls|sobald|nachdem|sofern|damit|bis|sonst|um|ohne|statt|nicht|nie)\b))"
    ),
    negation=re.compile(rf"\b{_NOT}\b"),
    always=re.compile(r"\b(?:immer|stets|unbedingt|zwingend|ausnahmslos)\b"),
    openers=re.compile(
        r"(?:(?:bitte|dann|danach|zuerst|immer|stets|auch|und|aber|also|nun|anschließend|zuletzt|ansonsten|sonst|stattdessen|grundsätzlich|so),?\s+){1,3}"
    ),
    lead_in=re.compile(
        r"(?:wenn|falls|sobald|solange|bevor|nachdem|ehe|während|sofern|vor|nach|bei|beim|für|ohne|im|in|unter|um|anstatt|statt|zum|zur|mit|jedes\s+mal)\b"
    ),
    label=re.compile(
        r"(?:(?P<not>nie|niemals|verboten|nicht\s+erlaubt|tabu)|(?:sehr\s+)?wichtig|pflicht|regel(?:\s+\d{1,3})?|vorgabe|grundsatz|immer|muss)!?\s*(?::|—|–|\s-\s)\s*\S"
    ),
    identity=re.compile(
        r"(?:du\s+bist|sie\s+sind|handle\s+als|agiere\s+als)\s+(?:der|die|das|ein|eine|unser|unsere|kein|für|[a-zäöüß-]+,\s+(?:der|die|das|ein|eine|unser|unsere))\b"
    ),
    talk=re.compile(
        r"\b(?:gestern|letzte[nrs]?\s+(?:woche|jahr|monat|nacht|sommer|winter)|damals|früher\s+(?:war|haben|hatten)|es\s+war\s+einmal|vor\s+\w+\s+jahren"
        r"|sagte|sagt,|meinte|behauptet|schrieb|erzählte|laut\s+(?:dem|der|einer|einem)\s+(?:anbieter|hersteller|autor|chef|kunden)|hätte|hätten|hättest)\b"
        r"|\b(?:gewesen|worden)\s+sein\b|\bmuss\s+(?:wohl|ein|eine)\b[^.]{0,60}\bsein\b|\bich\s+(?:muss|soll|darf|will|habe)\b|\bmuss\s+ich\b"
    ),
)
