"""Words and word starts that byte-pair tokenizers keep whole: data for the token estimate.

Source: the first 2,500 lower-case entries of three or more letters, in the order in which the public
cl100k vocabulary learnt them.
"""

from __future__ import annotations

from typing import Final

COMMON: Final[frozenset[str]] = frozenset(
    """
ability able about above abs abstract acc accept access accom according account accur achie across act
action actions activ active activities activity actual actually add added adding addition additional
address adjust admin administration adult adv advant advert aff affect after again against age agency
agent ago agre agree agreed agreement ahead aim air album alert align all alleg alloc allow allowed allows
almost alone along alpha already also alt altern although always amazing amb among amount anal analy
analysis and android ang angle anim ann announc announced another ans answer ant anti any anyone anything
api app appe appear appears append applic applicable application applications applied apply appro approach
appropri appropriate arch are area areas aren arg args argument arguments aria arm around arr array arrest
art article ask asked ass assert assess asset assist associ associated assum async att attack attacks
attempt attention attr attract attribute attributes aud audio auf aut auth author auto autom available
average avoid await aware away axis baby back background bad bag balance ball ban band bank bar bas base
based basic basis batch bath batter battle beat beaut beautiful became because become becomes bed been
before beg began begin beginning beh behavior behind being bel belie believe belong below ben benef
benefit benefits bes best bet better between bey beyond big biggest bill billion binary birth bit black
block blog blood blue board body bon book books bool boolean boost border born both bottom bound box boy
brain branch brand bre break bring bro broad brought browser btn budget buf buffer build builder building
built bul bur burn bus business but button buy byte bytes cache cal calcul call callback called calling
calls cam came camera camp campaign can cancel candid candidate cannot cap capacity capital capt car card
cards care career carry cars cart cas case cases cash cast cat catch category cause caused cele celebr
cell cells cent center central century cert certain certainly chain chall challeng challenge chance chang
change changed changes channel char character characters charg charge chat che check chem child children
cho choice choose church cin circ cit citiz city civil claim claims class classes clean clear clearly
click client clients clin clo clock clos close closed club cmd coach code col cold coll collect collection
college color colors column columns com comb come comes comfort coming comm command comment comments
commercial commit common communic community como comp compan companies company compar compared compet
compl comple complet complete completed completely complex compliance component components comput computer
con conc concept concern condition conditions conduct conf config configuration confirm conflic conn
connect connected connection cons consider considered consist console const constant constit construct
construction constructor consult consum cont contact contain container containing contains content
contents context contin continue continued contr contract contrib control controller conv convers convert
cook cookies cool cop copy copyright cor core corner corpor correct correspond cos cost costs cou could
couldn coun count counter countries country couple cour course court cout cover cre creat create created
creating cred credit criminal crit critical cross crow crush crusher ctx cult culture cur current
currently cursor custom customer customers cut daily dam damage dan danger dans dark das dat data database
date datetime dating day days dead deal death deb debug dec decided decision decl ded deep def default
defense define defined definitely definition deg degree del delay delete deliver dem demand demon demonstr
den dep department depend depth der des desc descri describe described description design designed despite
dest destination destroy det detail details deter determin determine dev develop developed development
device devices dialog dict did didn die died dies dif diff differ difference different difficult dig
digital dim dir direct direction directly director directory dis disabled disc discover discuss dise
disease dispatch display dist distance distr distrib distributed distribution district div django doc
document documents does doesn dog doing doll dom domain don done door dos doub double down download draw
dream dress drink drive driver dro drop drug dry due duration during dynamic each ear earlier early earn
eas easier easily easy eat echo econ economic economy edge edit editor educ education een eff effect
effective effects effort efforts eight ein either elect election electric element elements elif else email
emb emerg emp employ employee employees empty enable enabled enc encour end endl enemy energ energy eng
engine enh enjoy enough ens ensure ent enter entire entity entre entry enum env environment episode equ
equal equipment erot err error errors esc escort especially ess essay essential est establish etc eth eval
even event events ever every everyone everything evid evidence exact exactly exam example exc excell
excellent except exception exchange exec execute exerc exist existing exists exit exp expand expect
expected exper experi experience experiment expert expl explo export express expression ext extends
extension external extra extract extrem extremely eye eyes fac face fact factor factors factory fail
failed failure fair fall false fam families family fan fans fant far farm fast fat father fav favor
favorite fear feature features federal feed feel feeling feet felt fem female fetch few field fields fig
fight figure fil file filename files fill film filter fin final finally financial find finding fine finish
finished fire firm first fish fit five fix fixed flag flags flash flex float floor flow fmt foc focus
folder follow followed following font food foot football for force forces fore foreach foreign form format
former forms forward found four fprintf fra frag frame fre free frequ fresh fri friend friends from front
fuck ful full fully fun func function functions fund further future gain gam game games gar gas gave gay
gen gener general generally generate generated get gets getting gift girl girls give given gives giving
glass global goal goals goes going gold gone good got goto gover govern government grad grand graph grat
gratis gre great greater green grid ground group groups grow growing growth guar guard guess guest guide
gun guy guys hab had hair half hand handle handler hands happ happen happened happens happy har hard has
hash hat have haven having head header headers health healthy hear heard heart heat heavy height held help
helped helps her here het hidden high higher highest highly him himself his histor history hit hold hom
home hon hop hope hor hospital host hot hour hours hous house how however href html http https huge hum
human hundred hus icon ide idea ideas ident idx ign ill imag image images img imm immedi immediately imp
impact implement implementation implements implied import important impro improve inc includ include
included includes including income incor incre increase increased increasing ind inde independ index indic
indiv individual individuals indu indust industry inf infl influ info inform information ing init initial
inj inline inn inner input ins insert inside inst install instance instanceof instead instit instruction
insurance int integ integer integr intent inter interest interested interesting interface intern internal
international internet interview into introdu inv invalid invest investig investigation investment invol
involved isn iss issue issues ist item items iter its itself jav java javax job jobs join journal json jud
jump just justify keep kept key keys kids kill killed kind knew know knowledge known knows label labels
labor lack land lang language larg large larger largest las last lat late later latest launch law laws
layer layout lead leader leaders leading learn learning least leave leaving led left leg legal legis len
length les less let letter level levels lib library license life light lik like likely lim limit limited
line lines link links list listen liter little live lives living load loaded loading loc local located
location lock log logger logging login long longer look looked looking looks loop los lose loss lost lot
love low lower mac mach machine made mag magn mail main maint major majority make makes making mal male
man managed management manager manufact many map mar margin mark market marketing mas mask mass massage
master mat match matches material materials math matrix matter max maximum may maybe mean meaning means
meant meas measure mechan med media medic medical meet meeting mem member members memory men mention menu
mer message messages met meta metal method methods micro mid middle might mil miles milit military mill
million min mind minimum minor minute minutes mir mis miss missing mission mist mit mix mobile mock mod
mode model models modern modify module mom moment mon money monitor month months mor more morning most mot
mother motor mount mouse mov move moved movement movie moving msg much mult multi multiple mur mus music
must mut myself name named names namespace nation national natural nature nav near nearly necess necessary
need needed needs neg negative neighb net network never new news next nice nicht night nil node nodes non
none nor norm normal not note notes nothing notice nov now null nullptr num number numbers numer numpy obj
object objects obs observ obt obtain obvious occ occas off offer offered offers offic office official
officials offset often oil old older once one ones online only onto open opened opening oper operation
operations operator opin opp opport opportunity oppos opt optim option options ord order org organ
organization orig origin original other others otherwise our out output outside over overall override own
owner owners pack package padding page pages paid pain paint pair pan panel paper par para param parameter
parameters params parent parents park parse parser part partial partic particip particular particularly
partner partners parts party pas pass passed password past pat path patient patients pattern pay payload
payment peace pen people per percent perfect perform performance perhaps period permission permissions
pers person personal pet phone phot photo photos phys physical pick picture pictures pie piece pin place
placed placeholder places plan planning plans plant platform play played player players playing ple please
plot plt plugin plus pod point pointer points pol polic police policy polit political poll pool poor pop
popular population por porn porno port pos position positive poss possible post posted posts pot potential
pour pow power powerful pract practice pre prec pred predict prefix prem pres presence present president
press pressure pret pretty prev prevent previous previously price prices prim primary princip print printf
prior prison priv private pro prob probably proble problem problems proced process processing produ
produce produced product production products prof profession professional profile program programs
progress project projects prom prop proper properties property props pros prot prote protect protected
protection protest prov provid provide provided provider provides providing psych pub public publish
published pul pull pun pur purch purchase purpose push put qual quality quarter que query quest question
questions queue qui quick quickly quite rac race rad radio rais raise raised random range rank rap rare
rate rates rather raw reach reached read reader reading readonly ready real reality really reason reasons
rec rece receive received recent recently recogn recomm recommend record records rect red redirect
redistrib redu reduce ref refer reference reflect reg regard regarding region register regular reject rel
related relations relationship relative release released reli relig rem remain remains remember remote
remove removed ren rencont render rent rep repe repl replace report reported reports represent req requ
request requests require required requirements requires res research reserved reset resolve resource
resources resp respect respond respons response responsible rest restaur restrict result results ret
return returned returns rev reve review reviews rich rid right rights risk road rock role roll room root
rot round rout route router row rows rule rules run running runs saf safe safety said sal sale sales same
sample san sand sat satisf save saved saw say saying says scale scan scen scene sch sched school schools
science scient scope score scr scre screen script scroll search season sec second seconds secret section
security see seeing seek seem seemed seems seen seg select selected selection selector self sell sem sen
send sender sens sense sent separ separate sequence ser serial series serious serv serve server service
services session set sets sett setting settings setup seven sever several sex sexual shall shape share
shared she shift ship shoot shop short shot should show showed showing shown shows shut sich side sig sign
signal signed signific significant sil sim similar simple simply sin since sing single sit site sites
situation six size sizeof skills skin sleep slight slow small smaller smart social society socket soft
software sol sold solid solution som some someone something sometimes somew son song soon sort sou sound
source sources space spe speak spec special specific specified speech speed spend spent spirit split spot
spr spread sql squ square src stack staff stage stand standard star start started starting starts stat
state statement states static station status stay std ste step steps stick still stock stop storage store
stories story str straight strateg strategy stre stream street strength stress stri strict string strings
strong struct structure strugg stud student students studies study stuff style styles sub subject submit
subs success successful successfully such suff suffer suggest suit sum summer sun sup super supply support
supported sur sure surface surpr surround surv sus susp switch sym symbol syn sys system systems tab table
tag take taken takes taking tal talk talking target task tasks tax teach team teams techn technology teen
tele tell tem temp temper temperature template ten tend ter term terms terr terror test testing tests text
than thanks that the their them theme thems themselves then ther there therefore these they thing things
think thinking third this those though thought thous thousands thr thread threat three through throughout
throw throws thus tick tim time timer times tit title tmp today together token told ton too took tool
tools top topic tor torch tot total touch tour toward towards town track trad trade traditional traff
trail train training trans transaction transfer transform transition transport travel tre treat treatment
tree trend tri trial tried trigger trip tro true trust truth try trying turn turned two txt typ type
typeof types uint ult una und undefined under understand understanding une unique unit units unless uns
unsigned until update updated updates upload upon upper url use used useful user username users uses using
usually util vac val valid value values van var vari variable variables variety various vec vector veh
vehicle vel ver vers version vert very via vict video videos view views vill viol violence vir virtual vis
visit visual voice void vol volume von vot vote vous wait waiting walk wall want wanted wants war warm
warn warrant warranty was wasn watch water way ways weak weap weather web website week weekend weeks
weight well went wer were what whatever when where whether which while white who whole whom whose why wide
widget width wife wild will win window wire wish with within without wom woman women won wonder wood wor
word words work worked workers working works world worth would wouldn writ write writer writing written
wrong wrote www xml year years yet yield you young your yourself zero
""".split()
)
