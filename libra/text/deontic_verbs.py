"""English words by which the deontic lexer tells an imperative from a description: data only."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    """Return the words of a table."""
    return frozenset(text.split())


PLAIN_VERBS: Final = _words(
    """
    abandon abide abort abstain accept accommodate accompany accomplish acknowledge acquire act activate adapt add adhere adjust
    admit adopt advise advocate affirm aggregate aim align allocate allow alphabetize alter amend analyze analyse anchor announce
    annotate answer anticipate append apply appreciate approve archive argue arrange ask assemble assert assess assign assist
    assume attach attempt attend attribute audit augment authenticate authorize automate avoid await
    backfill backport batch be become befriend begin behave bend bind bisect blame blend boost bother bring broadcast build bump bundle
    bypass calculate calibrate call capitalize capture care carry cast catch categorize celebrate centralize challenge
    characterize check choose circumvent cite clarify classify cleanse click clone coalesce coerce collaborate collapse collect
    combine come communicate compare compile complement comply compose compress compute concatenate concede configure confirm
    conform connect conserve consider consolidate constrain construct consult contain continue contribute convert convey
    coordinate cope copy correlate couple craft create critique cross-check cross-reference crop cultivate curate customize
    deactivate deal debounce decide declare decline decompose decouple decrease dedent dedupe deduplicate defend defer define delegate
    delete deliver demand demonstrate denote depend deprecate derive describe deserialize destroy detect determine develop devise
    diagnose differentiate dig disable discard disclose disconnect discover discuss dismiss display dispose distill distinguish
    distribute dive divide document double-check download downgrade draft draw drive drop duplicate
    earn edit elaborate elect elevate eliminate email embed embody embrace emit emphasize employ empower emulate enable
    encapsulate enclose encode encourage encrypt end endorse enforce engage enhance enrich enquire ensure enter enumerate err erase
    escalate escape establish evaluate evict evolve examine exceed exclude execute exercise exit expand expect explain explore expose
    express extend extract
    facilitate fail fall favor favour feed fetch fill finalize find finish flatten flush focus follow forbid forget
    forgive formulate forward foster freeze fulfill
    gather generate get give glean go govern grab grant greet grep ground group guarantee guess guide
    halt handle hardcode harden hash have heed hesitate hide highlight hold honor honour hunt
    identify ignore illustrate imitate implement improve include incorporate increase increment indent indicate infer inform inherit
    initialize initiate inject inline innovate inquire insert insist inspect inspire install instantiate instruct instrument
    integrate intercept internalize interpret interrogate interrupt introduce invalidate invent invert invest investigate invite
    invoke involve isolate iterate
    jot justify keep kill know
    launch lay lead learn leave lend let leverage lint listen locate look lowercase
    maintain make manage mandate manipulate mask maximize maximise memoize mention merge migrate mimic minimise minimize mitigate mix
    mock modify modularize motivate move mutate
    narrate narrow navigate negotiate nest normalize notify number nudge
    obey obfuscate observe obtain offer omit operate optimise optimize orchestrate organise organize outline outperform overcome overlook
    override overwrite own
    parallelize parameterize paraphrase parse participate pass paste pay perceive perform permit persist persevere personalize persuade pick
    pipe pivot play plumb point ponder pop populate port pose postpone practice praise precede predict prefer prefix prepare prepend
    prescribe preserve press presume pretend prevent prioritise prioritize probe proceed produce proofread propagate propose protect
    prove provide provision prune publish pull purge pursue push put
    qualify quantify query question quit quote
    raise re-check re-read re-run re-export reach react read read-through realize reason reassess reassure rebase rebuild recall recheck
    recognize recommend recompute reconcile reconsider reconstruct recover recreate recurse recycle redact redirect
    redo reduce reevaluate refactor refer reference refine reflect reformat refrain refresh refuse regenerate reindex reinforce reject rejoin relate relax
    relay rely remain remember remind remove rename render reopen reorder reorganize repair repeat replace replicate reply rephrase
    repopulate reproduce request require reread reset resist resolve respect respond restart restate restore restrict
    restructure resubmit retain rethink retrieve reuse reveal revert revisit revise rewrite rotate round route run
    sanitize sanity-check satisfy save say scaffold scan scour scrape scratch scrub scrutinize seek segregate select self-review send separate serialize serve
    set setup settle sharpen shorten show shut shrink silence simplify simulate skim skip slice slow smooth snapshot
    solicit solve sort speak specify spell spend spin split spot squash stash stay steer stick stop store strengthen stringify strip
    strive structure study stub submit subscribe substitute suggest summarise summarize supersede supplement supply suppose suppress
    surround suspend sustain swallow swap synchronize synthesize
    tabulate tackle tag tailor take talk teach tear tell tend terminate thank think thread throttle throw tidy tie tighten toggle tolerate touch
    transcribe transform transition translate traverse treat trigger trim troubleshoot trust try tune turn tweak
    uncover understand undo unify uninstall unify unlock unmount unpack unset unwrap update upgrade uphold upload uppercase urge use utilise utilize
    validate vary vendor verify vet view visit visualize volunteer
    wait walk warn watch weigh withhold withdraw withstand wire wipe wonder wrap write
    yield zero zoom
    """
)
"""Base forms that begin an instruction when they begin a clause."""

DOUBTFUL_VERBS: Final = _words(
    """
    access address advance alert attempt average back backup balance base batch bear benchmark best block book bootstrap bound box branch break
    brief  browse budget buffer bug build bundle cache care cast cause center chain challenge change channel charge chart chat check
    claim clean clear close code comment commit complete compound concern conduct contact content contract control 
    correct cost count counter cover crash credit cross cut damage data date debug default  delay demand deploy deposit  design detail
    diff direct display document double drag drive drop dry dump echo edge edit effect empty end  escape estimate even
    exact exchange exercise exit experience experiment export extract eye face fake feature feed file filter fire fit fix flag flow fold force
    forecast fork form format frame free front fuel function gate gauge grade graph grid group guard guess guide gain hand handle hash head heat help hit
    hook host house impact import increase index input intent interest interface interview issue join judge jump key label land last lead level
    light like limit line link list live load local lock log long look loop lower machine map mark market master match mean measure
    merge message mind mine mirror mock mode model monitor mount move name need net note notice object offer open order orient output own
    pace pack package page paint pair paper parallel park part patch path pattern pause perfect phrase pin pilot pipeline place plan plot plug plus
    point poll pool port position post power practice present press preview price print process produce profile program progress  promise
    prompt proof prototype purchase purpose push quick race range rank rate rebase record reference reflect refund regard register regress
    release remark repeat reply report request research reserve resource respect rest result resume retry return review reward right ring
    rise risk role roll root round route rule run sample scale schedule schema scope score screen script seal search secure seed
    sense sentence separate sequence serve service set shape share shift ship shop short show sign signal sketch slot snapshot
    source space span spawn spike split sponsor spot spread stack staff stage stamp stand standard star start state step stop store stream stress
    structure study style subject subset suit summary support surface survey suspect switch sync synchronize table tag talk target task taste team template tend term
    test text thread time title tone top total touch tour trace track trade traffic train transfer transition trap travel trend
    trial trigger trip trouble try turn type upgrade upload upset  value version vet view voice volunteer vote wait walk want warm warrant
    waste watch water weight welcome will wish wonder word work worry worth
    """
)
"""Base forms that are as often nouns or adjectives: what follows must decide."""

NEVER_IMPERATIVE: Final = _words(
    """welcome thank thanks suppose imagine picture recall wonder guess wish need want like will mean seem happen note see enjoy know tend content
    concern data default even exact experience fuel intent interest last local long mine mode net part pattern plus purpose
    quick right schema sentence short standard summary subset top traffic trend trial water word worth version machine best purchase resource service role
    parallel paper pipeline edge effect detail front master team term text"""
)
"""Words that no instruction begins with, or none that binds anybody."""

RHETORICAL_VERBS: Final = _words(
    """imagine picture wonder admit agree forgive guess feel think believe realize realise hear expect recall suppose notice wish
    see understand-why know want love hate enjoy die laugh cry sleep dream"""
)
"""After "you must": talk, not a rule."""

OBJECT_STARTS: Final = _words(
    """the a an all any each every your their its our his her this that these those them it both no only new existing one two three either
    what which whether how where when if such more fewer less multiple other another everything anything nothing something someone yourself me
    us users user relevant unnecessary appropriate proper clear small large short long explicit specific additional public private
    different similar common complex simple critical important required out up down off over away back together"""
)
"""After a doubtful verb: it has an object, so it is a verb."""

VERB_FOLLOWERS: Final = _words(
    """before after with against on at from into through via without until as under inside directly carefully early often first
    again frequently regularly locally manually thoroughly explicitly immediately continuously incrementally iteratively
    aggressively strictly consistently separately always never and-then then"""
)

FINITE: Final = _words(
    """is are was were has have had does did can will would could may might must should isn't aren't wasn't weren't hasn't
    goes comes lives runs uses contains includes provides means makes gets takes needs remains happens depends belongs
    matters exists works shows returns becomes requires allows supports handles stores reads writes holds keeps lets gives"""
)
"""Finite verbs after the first word: that word was a subject."""

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
    color test-case container image cluster node pod deployment deploy rollout rollback infrastructure terraform helm docker kubernetes network
    socket connection port protocol packet buffer pointer allocation allocator memory heap stack register struct array list map set string integer float boolean
    timestamp date timezone id identifier name naming title description label text line indentation whitespace newline encoding charset locale translation
    language syntax grammar rule rules policy guideline instruction instructions requirement behavior behaviour logic algorithm state transaction
    event listener subscriber publisher stream channel topic webhook cron schedule timeout retry limit quota rate budget
    performance latency throughput security authentication authorization permission access encryption validation sanitization
    data dataset record entry item element sample notebook experiment training weights checkpoint metric metrics dashboard
    plan proposal spec specification design architecture decision adr rfc report analysis investigation verification conversation chat tone voice response
    gate gating mesh operation operations action actions subprocess operator admin customer subject body footer scope signature return
    """
)
"""Heads of a subject of which "must" makes a rule ("The dragon must guard the gate" is none)."""

AGENT_NOUNS: Final = _words(
    """agent agents subagent subagents sub-agent sub-agents assistant assistants model models claude codex gemini copilot bot bots ai llm
    contributor contributors developer developers maintainer maintainers reviewer reviewers author authors worker workers engineer engineers
    team teams collaborator collaborators committer committers operator operators nobody"""
)
"""Who may be allowed or forbidden something: for these "may", "can" and "cannot" are rules, too."""
