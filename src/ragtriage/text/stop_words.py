"""Words that carry grammar and no content, by language; data, no rule."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["STOP_WORDS"]

_EN = """
a an the this that these those it its it's he she they them their theirs his her hers him we us our you your yours i me
my mine who whom whose which what where when how why there here and or but nor so if then than as at by for from in into
of off on onto out over per to up down under with within without about above across after before between during through
until upon via is am are was were be been being do does did doing done has have had having will would shall should can
could may might must not no don't doesn't didn't isn't aren't wasn't won't can't also too very just only even such some
any each every all both either neither one's own same other another again more most much many few less least s t d ll m
re ve because while although though however therefore thus hence whether let get got
"""
_RU = """
и в во на с со к ко по о об обо от ото до из изо у за для при без безо под подо над про через между перед а но или либо
да же ли бы б не ни то это эта этот эти этого этой этом этому этих этим этими тот та те того той тому тем теми тех том
он она оно они его её ее ему ей им ими их нём нем нему ней него неё нее них ним ними я мы ты вы меня мне мной нас нам
нами вас вам вами тебя тебе себя себе собой свой своя своё свое свои своего своей своему своим своих своими ваш ваша
ваше ваши вашего вашей вашу вашем вашим ваших наш наша наше наши нашего нашей нашу нашем нашим наших что чтобы чего чем
чему кто кого кому кем как так когда где куда откуда если то-есть т.е. есть был была было были быть будет будут буду
является являются являлся являлась который которая которое которые которого которой которому которую котором которым
которых которыми какой какая какое какие какого какой каком каких каким весь вся всё все всего всей всем всеми всех
также тоже ещё еще уже только лишь даже вот ведь ну поэтому потому хотя однако при этом здесь там тут можно нужно надо
может могут мог могла самый самая самое самые сам сама само сами другой другая другое другие чей чья чьё чьи нет ваш
"""
_UK = """
і й та в у на з із зі зо до від од для при без під над про через між перед за по о об а але або чи же ж би б не ні це
цей ця ці цього цієї цьому цю цим цих цими той та те ті того тієї тому тій тим тих тими він вона воно вони його її йому
їй їм ними них нього неї ньому ній я ми ти ви мене мені нас нам нами вас вам вами тебе тобі себе собі свій своя своє
свої свого своєї своєму свою своїм своїх своїми ваш ваша ваше ваші вашого вашої вашу вашим ваших наш наша наше наші
нашого нашої нашу нашим наших що щоб чого чим чому хто кого кому ким як так коли де куди звідки якщо є був була було
були бути буде будуть який яка яке які якого якої якому яку яким яких якими весь вся все всі всього всієї всім всіх усі
усіх також теж ще вже лише тільки навіть тому хоча однак проте тут там можна треба потрібно може можуть міг могла самий
сам сама само самі інший інша інше інші чий немає нема
"""
_KK = """
және мен бен пен да де та те ма ме ба бе па пе не немесе я әлде бірақ алайда үшін туралы бойынша арқылы дейін кейін
соң бұрын ретінде сияқты секілді бұл осы сол ол олар оның олардың оған оны онда одан мұның бұның бұған мұнда осыған
осындай сондай мынадай қандай қай қанша неше кім не қашан қайда неге қалай егер ғана тек тағы сондай-ақ әр әрбір барлық
бәрі бар жоқ емес болады болып болған болса болуы болатын еді екен керек мүмкін қажет тиіс өз өзі өзінің сіз сіздің
сізге біз біздің бізге мен менің маған сен сенің деп деген дейді алады алуға етіп етеді етілген жатыр тұр отыр қарай
қатар бойы ішінде арасында кезінде ең өте
"""
_DE = """
der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine ist sind war waren wird werden
hat haben hatte zu zum zur im in am an auf aus bei mit nach von vom vor für über unter durch als wie auch noch nur sich
es er sie wir ihr ich dass wenn dann so um bis man kann können muss soll
"""
_FR = """
le la les l' un une des du de d' et ou mais ne pas est sont était a ont avait à au aux en dans sur sous pour par avec
sans ce cet cette ces il elle ils elles on nous vous je qui que qu' quoi dont où se sa son ses leur leurs plus comme si
être avoir peut doit
"""
_ES = """
el la los las un una unos unas y o pero no es son era fue ha han había a al en de del con sin por para sobre entre que
qué quien se su sus lo le les este esta estos estas como más si ser puede debe también
"""
_IT = """
il lo la i gli le un uno una e o ma non è sono era ha hanno a al alla in nel nella di del della dei delle con su per tra
fra che chi si suo sua loro questo questa come più se essere può deve anche
"""
_PT = """
o a os as um uma uns umas e ou mas não é são era foi tem têm ao à em no na nos nas de do da dos das com sem por para
sobre entre que quem se seu sua seus este esta isto como mais ser pode deve também
"""
_TR = """
ve veya ile ama fakat değil bir bu şu o için gibi kadar sonra önce daha en çok de da ki mi mı mu mü ne nasıl olan olarak
olur var yok her tüm hem ise ya
"""
_PL = """
i a w we z ze na do od dla przy bez pod nad o po oraz lub albo ale nie jest są był była było były być będzie ten ta to
te tego tej tym tych który która które jak że się jego jej ich co kto czy gdy jeśli może musi także tylko już
"""
_NL = """
de het een en of maar niet geen is zijn was waren wordt worden heeft hebben had te in op aan uit bij met na van voor
over onder door als ook nog maar zich hij zij wij ze we ik dat die deze dit wat wie er kan moet
"""

STOP_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        code: frozenset(words.split())
        for code, words in {
            "en": _EN, "ru": _RU, "uk": _UK, "kk": _KK, "de": _DE, "fr": _FR, "es": _ES, "it": _IT, "pt": _PT,
            "tr": _TR, "pl": _PL, "nl": _NL,
        }.items()
    }
)  # fmt: skip
"""Stop words by language code, folded."""
