"""Words that cannot both be true of one thing."""

from __future__ import annotations

_PAIRS = (
    "plaintiff defendant|client server|buyer seller|landlord tenant|frontend backend|top bottom|"
    "increase decrease|rise fall|rises falls|rose fell|raise lower|up down|more less|more fewer|"
    "better worse|best worst|good bad|safe dangerous|safe unsafe|legal illegal|"
    "possible impossible|cheap expensive|cheaper dearer|fast slow|faster slower|easy hard|"
    "easier harder|high low|higher lower|large small|larger smaller|always never|all none|"
    "everyone nobody|before after|earlier later|early late|open closed|open close|accept reject|"
    "accepted rejected|allow forbid|allowed forbidden|true false|right wrong|success failure|"
    "succeeded failed|win lose|won lost|buy sell|start stop|begin end|add remove|enable disable|"
    "mandatory optional|required optional|healthy harmful|healthy unhealthy|helps harms|"
    "help harm|improves worsens|improve worsen|benefit harm|strong weak|stronger weaker|hot cold|"
    "warm cold|public private|keep abolish|keep remove|support oppose|supports opposes|"
    "agree disagree|first last|majority minority|most few|many few|likely unlikely|"
    "useful useless|reliable unreliable|quiet noisy|long short|longer shorter|old new|"
    "older newer|wide narrow|full empty|guilty innocent|guilty acquitted|profit loss|"
    "genuine fake|real fake|deep shallow|light heavy|clean dirty|fertile barren|strict lenient|"
    "soft hard|wet dry|rich poor|richer poorer|sync async|stateful stateless|"
    "normalise denormalise|mutable immutable|left right|north south|east west|increases reduces|"
    "increase reduce|increases lowers|raises lowers|grow shrink|growing shrinking|ban permit|"
    "passed failed|pass fail|praised panned|praise criticise|banned permitted|banned allowed|"
    "ahead behind|inside outside|create destroy|creates destroys|transparent opaque|clear opaque|"
    "crowded deserted|crowded empty|abundant scarce|plentiful scarce|expert novice|"
    "fragile robust|brittle flexible|brittle tough|harmless toxic|harmless harmful|"
    "beneficial harmful|effective useless|hostile friendly|generous stingy|modest arrogant|"
    "calm agitated|boring exciting|dull exciting|boring interesting|ancient modern|"
    "temporary permanent|brief lengthy|simple complicated|simple complex|easy difficult|"
    "obvious obscure|clear vague|precise vague|exact approximate|voluntary compulsory|"
    "voluntary mandatory|optional compulsory|obligatory optional|rare common|frequent rare|"
    "often rarely|often seldom|sharp blunt|thick thin|smooth rough|tight loose|flat steep|"
    "rigid flexible|natural artificial|raw cooked|fresh stale|alive dead|awake asleep|"
    "present absent|visible hidden|known unknown|similar different|identical different|"
    "same different|equal unequal|praise blame|praised criticised|praises criticises|love hate|"
    "loves hates|like dislike|likes dislikes|remember forget|arrive leave|enter leave|"
    "appear vanish|gain lose|gained lost|find lose|found lost|build demolish|built demolished|"
    "attack defend|import export|lend borrow|expand contract|strengthen weaken|"
    "strengthens weakens|encourage discourage|encourages discourages|include exclude|"
    "includes excludes|permit forbid|permitted forbidden|legalise ban|approve reject|"
    "approved rejected|confirm deny|confirmed denied|prove disprove|proved disproved|"
    "solved unsolved|hire fire|hired fired|promote demote|attract repel|push pull|"
    "accelerate delay|speed slow|advantage drawback|advantage disadvantage|strength weakness|"
    "victory defeat|peace war|truth lie|hero villain|friend enemy|ally enemy|asset liability|"
    "surplus deficit|shortage glut|shortage surplus|scarcity abundance|optimist pessimist|"
    "optimistic pessimistic|hopeful hopeless|careful careless|useful pointless|"
    "worthwhile pointless|valuable worthless|healthy sick|sane mad|wise foolish|smart stupid|"
    "brave cowardly|honest dishonest|honest corrupt|fair biased|neutral biased|"
    "objective subjective|superior inferior|maximum minimum|majority handful|increase drop|"
    "increased dropped|increased decreased|rising falling|growing dwindling|booming declining|"
    "improved deteriorated|improving deteriorating|success flop|succeed fail|succeeds fails|"
    "relieves worsens|relieve worsen|cure cause|ally opponent|supporter opponent|"
    "supporters opponents|popular hated|rural urban|domestic foreign|internal external|"
    "online offline|manual automatic|automatically manually|centralised decentralised|"
    "centralized decentralized|sequential parallel|synchronous asynchronous|static dynamic|"
    "lossy lossless|cautious reckless|patient impatient|hardly mostly|spicy bland|sweet sour|"
    "bright dark|dim bright|loud quiet|noisy silent|tall short|near far|close distant|"
    "ascending descending|forward backward|upstream downstream|proponent opponent|"
    "guilt innocence|ally foe|waste save|wastes saves|wasted saved|spend save"
)
_OPPOSITES: dict[str, set[str]] = {}
for _pair in _PAIRS.split("|"):
    _x, _y = _pair.split()
    _OPPOSITES.setdefault(_x, set()).add(_y)
    _OPPOSITES.setdefault(_y, set()).add(_x)


def are_opposite(x: str, y: str) -> bool:
    """Return whether two words are opposites, by the list or by a prefix."""
    if y in _OPPOSITES.get(x, ()):
        return True
    short, long = sorted((x, y), key=len)
    return len(short) > 3 and long in (
        f"un{short}",
        f"in{short}",
        f"im{short}",
        f"non{short}",
        f"dis{short}",
        f"ir{short}",
        f"il{short}",
    )
