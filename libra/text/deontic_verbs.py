"""English verbs by which the deontic lexer tells an imperative from a description: data only."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    """Return the words of a table."""
    return frozenset(text.split())


PLAIN_VERBS: Final = _words(
    """
    abandon abide abort abstain accept accommodate accompany accomplish account achieve acknowledge acquire act activate adapt add adhere adjust
    admit adopt advise advocate affirm aggregate aim align allocate allow alphabetize alter amend analyze analyse animate announce
    annotate anonymize answer anticipate append apply appreciate approve archive argue arrange ask assemble assert assess assign assist
    assume attach attend audit augment authenticate authorize automate avoid await
    backfill backport be become befriend begin behave bend bind bisect blame bold boost bother bring broadcast bump
    bypass calculate calibrate canonicalize capitalize carry cast catch categorize celebrate centralize check cherry-pick
    choose circumvent cite clamp clarify classify cleanse click clone coalesce coerce collaborate collapse collect
    combine come communicate compare compile complement comply compose compress compute concatenate concede configure confirm
    conform connect conserve consider consolidate constrain construct consult contain continue contribute convert convey
    coordinate copy correlate craft create critique cross-check cross-reference crop cultivate curate customize
    deactivate deal debounce decide declare decline decode decompose decompress decouple decrease decrypt dedent dedupe deduplicate defend defer define delegate
    delete delimit deliver demonstrate denote depend deprecate derive describe deserialize destroy detect determine develop devise
    diagnose differentiate dig disable discard disclose disconnect discover discuss dismiss display dispose distill distinguish
    distribute dive divide double-check downgrade draw duplicate
    earn elaborate elevate eliminate embed embody embrace emit emphasize employ empower emulate enable
    encapsulate enclose encode encourage encrypt endorse enforce engage enhance enrich ensure enter enumerate erase
    escalate establish evaluate evict evolve examine exceed exclude execute expand explain explore expose
    express extend facilitate favor favour fetch fill finalize find finish flatten flush follow forbid forget
    forgive formulate foster freeze fulfill fuzz gather generate get give glean go govern grab grant greet grep guarantee guide
    handle hardcode hard-code harden hash have heed hesitate hide highlight hoist hold honor honour hunt
    identify ignore illustrate imitate implement improve include incorporate increment indent indicate infer inform inherit
    initialize initiate inject inline innovate inset insert insist inspect inspire install instantiate instruct instrument
    integrate intercept internalize interpolate interpret interrogate interrupt introduce invalidate invent invert invest investigate invite
    invoke involve isolate italicize iterate jot justify keep kill
    launch lay lazy-load learn leave lend let leverage lint listen localize locate lowercase
    maintain make manage mandate manipulate maximize maximise memoize mention merge migrate mimic minify minimise minimize mitigate
    modify modularize motivate mutate narrow navigate negotiate normalise normalize notify nudge
    obey obfuscate observe obtain offer omit opt optimise optimize orchestrate organise organize outperform overcome overlook
    override overwrite paginate parallelize parameterize paraphrase parse participate pay perceive perform permit persist persevere personalize
    pick pinpoint play ponder pop populate pose postpone praise precede precompute predict prefer prefix prepare prepend preload
    prescribe preserve presume pretend prettify prevent prioritise prioritize probe proceed proofread propagate propose protect
    prove provide provision prune publish pull purge pursue put
    qualify quantify raise re-check re-read re-run rerun re-export reach read realize reassess reassure rebase rebuild recheck
    recognize recommend recompute reconcile reconsider reconstruct recover recreate recurse recycle redact redirect
    redo reduce reevaluate refactor refer refine reformat refrain refresh refuse regenerate reindex reinforce reject relate relax
    relay release-note rely remain remember remind remove rename render reopen reorder reorganize repair replace replicate reply rephrase
    repopulate reproduce require reread resist resolve respond restate restore restrict
    restructure resubmit retain rethink retrieve reuse reveal revert revisit revise rewrite rotate round-trip run
    sanitize sanity-check satisfy save say scaffold scour scrub scrutinize seek segregate select self-review send serialize
    set settle sharpen shorten shrink shut silence simplify simulate skim skip smooth
    solicit solve sort speak specify spell spend spin squash stash stay steer stick streamline strengthen stringify strip
    strive submit subscribe substitute suggest summarise summarize supersede supplement supply suppress
    surround suspend sustain swallow synchronize synthesize
    tabulate tackle tailor take talk teach tear tell think throttle tidy tighten tolerate
    transcribe transform transition translate traverse treat trim troubleshoot truncate trust tune tweak
    uncover understand underline undo unify uninstall unlock unmount unpack unset unsubscribe unwrap update uphold uppercase use utilise utilize
    validate vary vendor verify vet visit visualize wait warn weigh withhold withdraw wipe wire wrap write yield interview dispatch disagree agree
    anchor articulate autofix backtrack bail brainstorm browse buy cancel co-locate colocate comb compensate conclude contextualize
    converse convince criticize debate dedicate deem delve deny denylist destructure dictate disallow empathize enlist equip excuse exemplify exhaust
    extrapolate fight fine-tune flesh flip fulfil glob hallucinate hedge imply impersonate impose inquire interact internalise itemize
    liaise lose modernize multiply mute narrate onboard operate oppose outsource over-engineer overcommunicate overengineer pass polish
    preface pressure-test promote punctuate quarantine ramble randomize rationalize re-evaluate re-verify realign recap receive recite
    recompile reframe reiterate repeat represent repurpose reschedule reshape retest rewind reword rubber-stamp safeguard sell showcase shuffle signpost
    sit soften spawn specialize specialise speculate sprinkle stabilize standardize standardise strategize stylize subclass synchronise tease
    terminate tokenize transpose triage type-check typecheck unblock underpromise underscore unit-test unlink unroll upsert urge vectorize
    verbalise verbalize cd ping whisper whitelist allowlist blacklist widen wrangle decide compile hear grow
    abbreviate accumulate advertise allot amplify amuse apologise apologize appoint approximate astonish attract awaken banish beautify beg
    belittle bless breathe broaden cater cease certify cherish circulate cling commence compartmentalize compete comprehend conceal concentrate condense confess confuse
    congratulate consume converge cooperate criticise debrief deceive decorate deepen denormalize depart depict deter detach detain deviate digitize dilute
    disambiguate disappoint disarm disassemble discourage disentangle disguise disobey disrupt dissect divert dockerize donate dwell eat embarrass encompass endure
    entertain err evade exaggerate excel exert expedite familiarize fasten flatter flee forego foresee forgo forsake fortify frighten gamify grasp grok
    hand-craft hand-edit hand-roll hand-write harmonize hone hug hydrate improvise inflate inflict inhibit initialise instill insulate insure intend interfere interleave
    intersperse intervene irritate laugh lighten linger load-test loosen materialize mediate micromanage mobilize neutralize nitpick nod nourish nurture obsess
    offload over-optimize overdo overestimate overpromise overrule oversimplify overstate overthink overuse parametrize penalize persuade pester ponder
    pray pre-compute preach preallocate precompile preempt pry quit rate-limit reassure rebut recalculate recommit reconfirm redeploy redesign reformulate refute reimplement
    relabel relieve relish relocate remediate reprioritize rescan resize reshuffle resync retell retort retrain revere rhyme savor scold scrap seize sever shelve
    shove shrug shun sidestep smoke-test snip snoop soothe spell-check squeeze stagger steal stir stratify stress-test subtract supervise surrender survive swear
    synthesise taunt test-drive threaten time-box timebox toss transmit transpile tread tuck uncomment underestimate undermine undertake unfold untangle
    unwind vouch wander wean weave weep whine wind-down wreck
    """
)
"""Base forms that begin an instruction when they begin a clause, whatever follows."""

MOSTLY_VERBS: Final = _words(
    """
    address alert analyze attempt back call cap capture center challenge change clean clear close comment commit complete convert cover cut debug
    demand deploy design document double download draft drive drop edit email end escape estimate exercise exit expect export extract
    feed fix flag force fork format frame ground group guard help host impact import increase
    join judge jump label lead level limit link list load lock log look loop lower map mark mask match measure meet merge mirror mix mock
    monitor mount move name need note number nest open outline own pace pack paste pause phrase pin pipe place plan post practice press
    preview process produce promise prompt push question quit quote rank rate record reflect regard register report request reserve reset
    respect restart resume retry return reverse review reward roll route sample scale scan schedule scope score scrape screen scroll search secure
    seed separate serve shape share shift ship show sign sketch slice slow snapshot solve source split spot stack stand start state step
    stop store stub study style suit support surface swap switch sync tag target test throw tie toggle touch track trade train
    trace transfer trigger try turn undo upgrade upload verify view vote walk watch work
    adjust advance assess fail bundle cache count delay derive detail direct dump echo emphasize exchange favor filter fold gate gauge guess
    stream structure stress surface tap thread time warm weight zoom
    bear boot borrow chunk coach color complain correct cycle diff digest fan fit forward fund gloss hint kick lack lean lift
    mentor namespace partition queue reason retire seal segment shard shed shield shout size smile tee trap wash zip fall cluster
    aid attribute award bargain bias blend bow bracket brush bucket calm care cascade chase cheer clap climb combat concentrate console contest cure
    delight discount dispute ease exploit factor fancy fear forecast fuse glue grin halt harvest hire hum laugh lecture lie mourn mute nail obsess offset overlap overload pad pivot poke pour
    praise prop rally refund reload rescue retreat rework rub rush sandbox scare scatter shake shame shave sink skate slide slim smell soak spam spare spark spoil spray
    stall stare starve strike stitch stray succeed suffer sum sweep swim tame taper tick tire trick upset wave wear wink thank
    point reference land order regress remark rest sense cross claim conduct contact crash dry orient paint pair power progress
    """
)
"""Base forms that are nouns or adjectives as well: a determiner, an object or an adverb must follow."""

NOUNISH: Final = _words(
    """
 back batch base branch bug build bundle cache center chat control cost count
 credit damage debug design detail direct document double draft dump effect empty error estimate exchange exercise
 feature feed file filter fix flag flow focus fold form format frame function gate ground hook host
 index input interface issue key level log look loop map market mask
 message mind mock model monitor need number outline output pace package page parallel
 paste patch pattern phrase pipeline plan policy position post practice present press preview price process produce
 profile program project promise prompt prototype query question range rate record reflect release
 report request research reserve resource response result review reward role root rule
 scale scan schema scope score screen script scroll search secure seed sequence shift
 signal slow snapshot source span spot stack stage stand standard state step store stream stress structure stub style
 subject subset summary support survey table target task team template test text thread time title tool
 trade trend type unit update upgrade user value version visit voice warm weight
 balance bench intern benchmark block book bootstrap box break brief budget buffer chain channel charge chart code compound concern content
 contract data date default document experience experiment eye face fake free front gain grade graph grid grep
 hand head heat hit home house inline install interest interview last light line live local long loop machine mean mine mode
 net note notice object operate optimize paper part path perfect pilot plot plug poll pool port print
 proof purpose quick quiet race read repeat right ring rise risk round run safe set short slot sound space speed spread
 stamp subset suspect taste term text think top total tour traffic travel trial trip trouble warrant waste water well wonder word worry
 """
) - _words("read run set operate optimize install inline think visit update repeat try")
"""Base forms that are more often nouns: only a determiner, a pronoun, code or an adverb makes them verbs."""

NEVER_IMPERATIVE: Final = _words(
    """welcome thanks hope suppose imagine picture recall wonder guess wish want like will mean seem happen see enjoy know tend
    mine net quick last long local best please worth word water trend traffic top summary subset standard role resource project
    policy pipeline pattern part paper parallel market machine light issue user unit tool task team error data date content value total term"""
)
"""Words that no instruction begins with, or none that binds anybody."""

TAKES_TO: Final = _words(
    "try remember aim strive prefer plan attempt opt refuse default seek learn adhere conform stick listen respond reply refer commit switch talk speak defer link bind pay need"
)
"""Doubtful verbs that may be followed by "to"."""

RHETORICAL_VERBS: Final = _words(
    """imagine picture wonder admit agree forgive guess feel think believe realize realise hear expect recall suppose notice wish
    know want love hate enjoy die laugh cry sleep dream worry bet kid"""
)
"""After "you must": talk, not a rule."""

PURE_NOUNS: Final = _words(
    """back base bug bundle cap center chat cost count damage data date detail effect error experience face feature file flow focus frame function grade graph
    grid head heat hit home hook host house index input interface issue key land level light line look loop machine market mask mean message mind mode note
    notice object output package page part path phrase pilot pipeline plot policy pool port position power present press price process profile program
    promise proof purpose quick race range rank rate resource response result rest right ring rise risk role root round row rule safe schema scope score screen
    script seed sequence slot sound source space speed spread staff stage stamp stand standard stress stub subject subset summary survey table target task taste team
    template term text thread time title token top tour traffic travel trend trial trip trouble type unit user value version voice warm warrant waste water
    weight well wonder word worry zero control block board book bootstrap box brief budget chain channel charge chart code compound concern credit display
    edge engine exchange experiment eye fold form free gain gate gauge image level map mirror model""",
)
"""Of the nounish: not even an object in the plural makes them verbs ("Bug fixes require …")."""

OBJECT_STARTS: Final = _words(
    """the a an all any each every your their its our his her this that these those them it both no only new existing one two three either
    what which whether how where when if such more fewer less multiple other another everything anything nothing something someone yourself me
    us public private internal external edge corner out up down off over away back together relevant unnecessary appropriate proper"""
)
"""After a doubtful verb: it has an object, so it is a verb."""

DETERMINERS: Final = _words(
    "the a an all any each every your their its our this these those them it both another everything anything yourself"
)
"""After an unknown first word: that word is a verb ("Memoize the …")."""

VERB_FOLLOWERS: Final = _words(
    """before after with against on at from into through via without until as under inside directly carefully early often first
    again frequently regularly locally manually within using between around in"""
)

FINITE: Final = _words(
    """is are was were has have had does did can will would could may might must should isn't aren't wasn't weren't hasn't
    goes comes lives runs uses contains includes provides means makes gets takes needs remains happens depends belongs
    matters exists works shows returns becomes requires allows supports handles stores reads writes holds keeps lets gives
    affects mirror mirrors follow follows lives live starts start follows specifies defines determines describes"""
)
"""Finite verbs after the first word: that word was a subject."""

CLOSED_CLASS: Final = _words(
    """about above across actually after against ago all along alongside already also although always am amid among an and another any anybody anyone
    anything anyway anywhere apart are around as aside at away back because before behind being below beneath beside besides best better between
    beyond both but by certainly concerning consequently currently despite do does down during each early either else enough even eventually ever every
    everybody everyone everything everywhere except few fewer finally first for formerly fortunately from further furthermore given half hence her here
    herself hi him his hopefully how however i if in indeed inside instead into is it its itself just last lastly later least less let like likewise
    little many may maybe me meanwhile might mine more moreover most much must my myself near nearly neither never nevertheless next no nobody none
    nor not nothing now nowhere of off often oh ok okay on once one only onto opposite or other others otherwise our ours out outside over own past
    per perhaps plus probably quite rather really regarding same second see several shall she should since so some somebody somehow someone
    something sometimes somewhere soon still such suddenly than thanks that the their theirs them then there thereafter therefore these they third this
    those though three through throughout thus till to today together tomorrow too toward towards two under unfortunately unless unlike until up upon
    us usually versus very via was we well were what whatever when whenever where whereas wherever whether which whichever while who whoever
    whole whom whose why will with within without would yes yesterday yet you your yours yourself four five six seven eight nine ten
    monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december
    add-on everyday anytime everytime maybe unlike worth due prior subsequent regardless according thereby wherein whereby such had has have can could
    almost nearly roughly virtually practically barely hardly merely been be did done gone left built made kept known seen sent set found held lost paid said sold told understood"""
)
"""Words that are no verb of an instruction even before a determiner ("In the …", "All the …")."""

TECH_NOUNS: Final = _words(
    """
    agent agents subagent assistant model bot claude codex gemini copilot cursor gpt llm ai system service server client backend frontend app application
    program binary library module package crate component class struct interface trait enum type function method procedure routine handler
    callback hook middleware endpoint route router controller api rpc sdk cli ui gui command subcommand flag option argument parameter param
    variable constant field property attribute key value header payload request response reply answer output input result error exception message log
    logger logging code codebase source snippet block statement expression loop query schema table column row index migration database db store storage cache
    queue worker job task thread process pipeline workflow step stage build builder release version tag branch commit commits pr
    patch diff change changeset changelog merge review reviewer approval issue ticket bug fix hotfix feature refactor test tests suite fixture mock assertion
    coverage benchmark lint linter formatter format style convention documentation docs docstring comment readme file folder directory path filename extension
    import export dependency dependencies lockfile config configuration setting settings environment env secret credential token password certificate
    session user contributor developer maintainer author team engineer repo repository workspace project monorepo script tool plugin extension skill
    prompt context memory summary document page template layout stylesheet css html markup component widget view screen button form modal icon image asset font
    color container image cluster node pod deployment deploy rollout rollback infrastructure terraform helm docker kubernetes network
    socket connection port protocol packet buffer pointer allocation allocator memory heap stack register array list map set string integer float boolean
    timestamp date timezone id identifier name naming title description label text line indentation whitespace newline encoding charset locale translation
    language syntax grammar rule rules policy guideline instruction instructions requirement behavior behaviour logic algorithm state transaction
    event listener subscriber publisher stream channel topic webhook cron schedule timeout retry limit quota rate budget
    performance latency throughput security authentication authorization permission access encryption validation sanitization
    data dataset record entry item element sample notebook experiment training weights checkpoint metric metrics dashboard
    plan proposal spec specification design architecture decision adr rfc report analysis investigation verification conversation chat tone voice response
    gate gating mesh operation operations action actions subprocess operator admin customer subject body footer scope signature return
    annotation decorator macro namespace generator iterator promise coroutine goroutine channel mutex lock semaphore handler wrapper adapter fallback
    example examples tutorial guide draft post article email newsletter ticket estimate invoice order payment product feature milestone roadmap
    content copy headline caption heading paragraph sentence word words punctuation emoji citation quote link url domain hostname
    """
)
"""Heads of a subject of which "must" makes a rule ("The dragon must guard the gate" is none)."""

AGENT_NOUNS: Final = _words(
    """agent agents subagent subagents sub-agent sub-agents assistant assistants model models claude codex gemini copilot bot bots ai llm
    contributor contributors developer developers maintainer maintainers reviewer reviewers author authors worker workers engineer engineers
    team teams collaborator collaborators committer committers operator operators nobody"""
)
"""Who may be allowed or forbidden something: for these "may", "can" and "cannot" are rules, too."""
