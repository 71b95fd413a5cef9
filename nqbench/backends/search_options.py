"""The options of programs that `opt.NAME=VALUE` may set: those that decide how they search.

Options are data, which may come from anybody: campaign files and stores have them too. Programs
also have options that write files, read configurations, start programs, stop the search, hide the
answer or change what it means. Some of these take a number or a switch, and some programs accept
the beginning of a name. So a name or a value that is not listed here is refused, before the program
is started or looked for.

The names are those of CaDiCaL 1.5 to 3.0, clasp 3.3, CryptoMiniSat 5.11 to 5.17, Glucose 3.0 to
4.2, Kissat 1.0 to 4.0 and MiniSat 2.2.
"""

from collections.abc import Mapping
from typing import Final

from nqbench.backends import option_values
from nqbench.backends.option_values import Terms, Words
from nqbench.common.errors import InputError
from nqbench.common.spelling import nearest


def _numbers(names: str) -> dict[str, Terms]:
    """Options with a number, or a switch."""
    return dict.fromkeys(names.split(), Terms())


def _words(*words: str) -> Terms:
    return Terms(words, is_list=True)


_CADICAL: Final = _numbers("""
    arena arenacompact arenasort arenatype backbone backboneeffort backbonemaxrounds
    backbonerounds backbonethresh block blockmaxclslim blockminclslim blockocclim bump
    bumpreason bumpreasondepth bumpreasonlimit bumpreasonrate chrono chronoalways chronolevelim
    chronoreusetrail compact compactint compactlim compactmin condition conditioneffort
    conditionint conditionmaxeff conditionmaxrat conditionmineff conditionreleff congruence
    congruenceand congruenceandarity congruencebinaries congruenceite congruencexor
    congruencexorarity congruencexorcounts cover covereffort covermaxclslim covermaxeff
    coverminclslim covermineff coverreleff decompose decomposerounds deduplicate
    deduplicateallinit eagersubsume eagersubsumelim elevate elim elimands elimaxeff elimbackward
    elimboundmax elimboundmin elimclslim elimdef elimdefcores elimdefticks elimeffort elimequivs
    elimineff elimint elimites elimlimited elimmaxeff elimmineff elimocclim elimprod elimreleff
    elimrounds elimsubst elimsum elimxorlim elimxors emadecisions emagluefast emaglueslow
    emajump emalevel emasize ematrailfast ematrailslow factor factorcandrounds factorcheck
    factordelay factoreffort factoriniticks factorsize factorthresh factorunbump fastelim
    fastelimbound fastelimclslim fastelimocclim fastelimrounds flush flushfactor flushint
    forcephase ilb ilbassumptions incdecay incdecayint inprobeint inprobing inprocessing
    instantiate instantiateclslim instantiateocclim instantiateonce lucky luckyassumptions
    luckyearly luckylate minimize minimizedepth minimizeticks otfs phase preprocessinit
    preprocesslight probe probeeffort probehbr probeint probemaxeff probemineff probereleff
    proberounds probethresh radixsortlim randec randecfocused randecinit randecint randeclength
    randecstable recomputetier reduce reduceinit reduceint reducekeepglue reduceopt reducetarget
    reducetier1glue reducetier2glue reluctant reluctantint reluctantmax rephase rephaseint
    restart restartint restartmargin restartmarginfocused restartmarginstable restartreusetrail
    restoreall restoreflush reverse score scorefactor seed shrink shrinkreap shuffle
    shufflequeue shufflerandom shufflescores simplify stabilize stabilizefactor stabilizeinit
    stabilizeint stabilizemaxint stabilizeonly stabilizephase subsume subsumebinlim
    subsumeclslim subsumeeffort subsumeint subsumelimited subsumemaxeff subsumemineff
    subsumeocclim subsumereleff subsumestr sweep sweepclauses sweepcomplete sweepcountbinary
    sweepdepth sweepeffort sweepfliprounds sweepmaxclauses sweepmaxdepth sweepmaxvars sweeprand
    sweepthresh sweepvars target ternary ternaryeffort ternarymaxadd ternarymaxeff ternarymineff
    ternaryocclim ternaryreleff ternaryrounds ternarythresh tier1limit tier1minglue tier2limit
    tier2minglue transred transredeffort transredmaxeff transredmineff transredreleff vivify
    vivifycalctier vivifydemote vivifyeffort vivifyflush vivifyinst vivifyirred vivifyirredeff
    vivifymaxeff vivifymineff vivifyonce vivifyredeff vivifyreleff vivifyretry vivifyschedmax
    vivifythresh vivifytier1 vivifytier1eff vivifytier2 vivifytier2eff vivifytier3
    vivifytier3eff walk walkeffort walkfullocc walkmaxeff walkmineff walknonstable walkredundant
    walkreleff warmup
""")

_NO: Final = ("no", "off", "on", "yes")
_SCHEDULE: Final = (*_NO, "d", "f", "l", "x", "+")
"""The kinds of sequences by which clasp restarts and deletes."""


def _lists(names: str) -> dict[str, Terms]:
    """Options of clasp with several numbers, or a switch."""
    return dict.fromkeys(names.split(), _words(*_NO))


_CLASP: Final[Mapping[str, Terms | Words]] = {
    **_lists("""
    berk-huang block-restarts counter-bump counter-restarts del-estimate del-glue del-init
    del-max del-on-restart del-protect init-moms learn-explicit local-restarts nant no-lookback
    otfs rand-freq rand-prob reverse-arcs save-progress seed shuffle sign-fix update-act
    vsids-acids vsids-progress
"""),
    # Anything else, and a number as well, would be the name of a file.
    "configuration": Words(
        ("auto", "crafty", "frumpy", "handy", "jumpy", "many", "trendy", "tweety")
    ),
    "contraction": _words(*_NO, "alluip", "decisionseq", "dynamic"),
    "del-cfl": _words(*_SCHEDULE),
    "del-grow": _words(*_SCHEDULE),
    "deletion": _words(
        *_NO, "activity", "basic", "combined", "ipheap", "ipsort", "lbd", "mixed", "sort"
    ),
    "distribute": _words(*_NO, "all", "conflict", "global", "local", "loop", "short"),
    "global-restarts": _words(*_SCHEDULE),
    "heuristic": _words("auto", "berkmin", "domain", "none", "unit", "vmtf", "vsids"),
    "init-watches": _words("first", "least", "rnd"),
    "integrate": _words("active", "all", "cube", "cubex", "gp", "ring", "unsat"),
    "lookahead": _words(*_NO, "atom", "body", "hybrid"),
    "reset-restarts": _words(*_NO, "disable", "keep", "repeat", "reset"),
    "restarts": _words(*_SCHEDULE),
    "sat-prepro": _words(*_NO, "clause", "frozen", "iter", "occ", "size", "time"),
    "score-other": _words(*_NO, "all", "auto", "loop"),
    "score-res": _words("auto", "default", "min", "multiset", "set"),
    "share": _words(*_NO, "all", "auto", "learnt", "problem"),
    "sign-def": _words("asp", "neg", "pos", "rnd"),
    "sign-def-disj": _words("asp", "neg", "pos", "rnd"),
    "strengthen": _words(*_NO, "all", "binary", "local", "recursive", "short"),
    "update-lbd": _words(*_NO, "glucose", "less", "pseudo"),
    "update-mode": _words("conflict", "propagate"),
}

_CRYPTOMINISAT: Final = {
    **_numbers("""
    absbudget adjustglue allpresimp autodisablegauss blkrest blkrestlen blkrestmultip
    blockingglue bothprop breakid breakidcls breakideveryn breakidmaxcls breakidmaxlits
    breakidmaxvars breakidtime bumpreasondepth burst bva bva2lit bvaeveryn bvalim bvato
    calcpolar1st calcpolarall cardfind ccnr chronoreusetrail confbtwsimp confbtwsimpinc
    congruence congruenceandsz congruencexorsz decbased detachxor diffdeclevelchrono distill
    distillbin distillbineff distillby distillincconf distillinst distillirredalsoremratio
    distillirrednoremratio distillirredreleff distillmaxm distillminconf distillmineffm
    distillredreleff distillremlevel distillschedmax distillshuffleeveryn distillsort
    distilltier0ratio distilltier1ratio distillto elimcoststrategy elimcplxupd emptyelim eratio
    everylev1 everylev2 extscc forcepreservexors freq fullprobe fullprobemaxm
    fullwatchconseveryn gatefindto gates gausscheckevery gaussmincalls gaussusefulcutoff
    gluecut0 gluecut1 gluehist hyperkeepconfl implicitmanip implstrto implsubsto incclean intree
    intreeeff intreemaxm lev1usewithin locgmult lucky lwrbndblkrest maxgluehistltlimited
    maxmatrixcols maxmatrixrows maxnummatrices maxnumsimppersolve maxredratio maxsccdepth
    maxtemp maxxormat maxxorsize memoutmult minmatrixrows morebump moreminim moremorealways
    moremoreminim mult mustconsolidate mustrenumber nextm nonstop occirredmaxmb occredmax
    occredmaxmb occrelocatelim occsimp oraclefindbins oraclegetlearnts oraclemult
    oracleremovedislearnt otfhyper otfs otfsubsume phase polarstablen presimp probe probemaxm
    random ratiogluegeom recur reduce renumber rephase rephaseint restartreusetrail rstfirst
    savemem scc sccperc schedsimp seed shrink sls slsbumptype slsccnraspire slseveryn
    slsgetphase slsmaxmem slstobump slstobumpmaxpervar stabilize strengthen strmaxt strstimelim
    sublonggothrough substimelim substimelimbinratio substimelimlongratio sweep sweepclauses
    sweepdepth sweepeff sweepfliprounds sweepmineffm sweepvars target tern ternbincreate
    terncreate ternkeep terntimelim transred updateglueonanalysis updateglueonprop
    useallmatrixes vardecaymax vardecaystart varelim varelimcheckres varelimclslim
    varelimclsmaxsz varelimirregconfl varelimirregocclim varelimirregunit varelimmaxmb
    varelimocclim varelimover varelimprod varelimprodlim varelimschedtouched varelimsum
    varelimto varsperxorcut vincstart walksatruns weakenclsmaxsz weakentimelim xor xorfindtout
    xorgatemaxsize yalsatmems
"""),
    "branchstr": _words("rand", "vmtf", "vmtf1", "vsids", "vsids1", "vsids2"),
    "elimstrgy": _words("calculate", "heuristic"),
    "polar": _words("auto", "best", "inverted", "rnd", "saved", "stable", "weight"),
    "restart": _words("fixed", "geom", "glue", "luby"),
    "slstype": _words("ccnr", "ccnr_yalsat", "walksat", "yalsat"),
}

_MINISAT: Final = _numbers("""
    asymm ccmin-mode cl-lim cla-decay elim gc-frac grow luby phase-saving pre rcheck rfirst rinc
    rnd-freq rnd-init rnd-seed simp-gc-frac sub-lim var-decay
""")

_GLUCOSE: Final = {
    **_numbers("""
    adapt chanseok co firstReduceDB fix-phas-rest forceunsat gr incReduceDB K lcm lcm-update
    luby-factor max-var-decay minLBDFrozenClause minLBDMinimizingClause minSizeMinimizingClause
    phase-restart R specialIncReduceDB szLBDQueue szTrailQueue
"""),
    **_MINISAT,
}

_KISSAT: Final = _numbers("""
    ands autarky autarkydelay backbone backboneeffort backbonemaxrounds backbonerounds backward
    bigbigfraction bump bumpreasons bumpreasonslimit bumpreasonsrate chrono chronolevels compact
    compactlim congruence congruenceandarity congruenceands congruencebinaries congruenceites
    congruenceonce congruencexorarity congruencexorcounts congruencexors decay definitioncores
    definitions definitionticks defraglim defragsize delay dominate eagersubsume eliminate
    eliminatebound eliminateclslim eliminatedelay eliminateeffort eliminateinit eliminateint
    eliminatemaxeff eliminatemineff eliminateocclim eliminatereleff eliminaterounds emafast
    emaslow equivalences extract extractands extractbinaries extractites extractxors factor
    factorcandrounds factordelay factoreffort factorhops factoriniticks factorsize
    factorstructural failed faileddelay failedmaxeff failedmineff failedreleff failedrounds
    fastel fastelclslim fastelim fasteloccs fastelrounds fastelsub focusedtiers forcephase
    forward forwardeffort hyper ifthenelse jumpreasons lucky luckyearly luckylate mineffort
    minimize minimizedepth minimizeticks modeinit modeint otfs phase phasesaving preprocess
    preprocessbackbone preprocesscongruence preprocessfactor preprocessprobe preprocessrounds
    preprocessweep probe probedelay probeinit probeint proberounds promote randec randecfocused
    randecinit randecint randeclength randecstable reduce reducefraction reducehigh reduceinit
    reduceint reducelow reducerestart reluctant reluctantint reluctantlim reorder reorderinit
    reorderint reordermaxsize rephase rephaseinit rephaseint restart restartint restartmargin
    restartreusetrail seed shrink simplify smallclauses stable stablebias substitute
    substituteeffort substitutelim substitutemineff substituterounds subsumeclslim subsumemaxeff
    subsumemineff subsumeocclim subsumereleff sweep sweepclauses sweepcomplete sweepdepth
    sweepeffort sweepequivalences sweepfliprounds sweepmaxclauses sweepmaxdepth sweepmaxvars
    sweeprand sweepvars target ternary ternarydelay ternarymaxadd ternarymaxeff ternarymineff
    ternaryreleff tier1 tier1relative tier2 tier2relative transitive transitiveeffort
    transitivekeep transitivemaxeff transitivemineff transitivereleff tumble vivify vivifyeffort
    vivifyfocusedtiers vivifyimply vivifyirr vivifyirred vivifymaxeff vivifymineff vivifyreleff
    vivifysort vivifytier1 vivifytier2 vivifytier3 walkeffort walkinitially walkmaxeff
    walkmineff walkreleff walkrounds warmup xors xorsbound xorsclslim
""")

SEARCH: Final[Mapping[str, Mapping[str, Terms | Words]]] = {
    "cadical": _CADICAL,
    "clasp": _CLASP,
    "cryptominisat5": _CRYPTOMINISAT,
    "glucose": _GLUCOSE,
    "kissat": _KISSAT,
    "minisat": _MINISAT,
}
"""The options of each program, by its name, and their values."""


def check(program: str, options: Mapping[str, object]) -> None:
    """Raise `InputError` for an option that may not be set, or not to this value."""
    known = SEARCH[program]
    for name in options:
        if name not in known:
            meant = nearest(name, known)
            others = f"give others as in 'exe:{program} OPTIONS'"
            instead = f"did you mean '{meant}'?" if meant else others
            raise InputError(f"'{name}' is not a search option of {program}: {instead}")
    option_values.check(options, known)
