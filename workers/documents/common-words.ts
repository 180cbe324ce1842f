/**
 * Languages by their most common words. Letters alone mislead: one foreign name makes a short sentence look foreign,
 * and technical English looks like Latin.
 */

import { byName } from '../../src-server/platform/records.ts';

/** The commonest words of languages in Latin script, in lower case: grammar first, then everyday verbs and things. */
const COMMON_WORDS: Readonly<Record<string, string>> = byName({
  en:
    'the of and to in a is that it for was on are as with his they at be this from have or by one had not but ' +
    'what all were when we there can an your which their said if do will each about how up out them then she many ' +
    'some so these would other into has her him more two like see time no could people my than been who its now ' +
    "did get come it's i'm don't i you he me our us over after under where why because before between through " +
    'while again please thank thanks hello good new old first last little own made make take took go went gone ' +
    'got ate eat drink drank came saw said told read write wrote know knew think thought want wants need needs ' +
    'should must may might never always often every much very too also only just here today tomorrow yesterday ' +
    'morning evening night day week year way work water house school town city street shop open opens closed ' +
    'closes every those such any both off down until without during against does being having says let keep give ' +
    'gave left right still back around nothing something anything everything nobody stop run wait help happy cold ' +
    'hot rain wind book food dinner breakfast lunch ready door train bus car ship boat room call called bought ' +
    'sold brings bring sing sang play plays played talk talking lives live leaves leave ordered excellent',
  de:
    'der die das und ist nicht ich du er sie es wir ihr ein eine einen einem einer eines den dem des zu mit auf ' +
    'für von im in am an aus bei nach seit um über unter vor hinter durch gegen ohne bis als auch aber oder wenn ' +
    'weil dass daß wie was wer wo warum sich sind war waren wird werden wurde hat haben hatte hatten kann können ' +
    'muss müssen soll will möchte mein meine dein sein seine ihre unser unsere kein keine noch nur schon sehr so ' +
    'man mehr hier dort heute morgen gestern bitte danke guten gute gut tag abend nacht jahr zeit alle alles viel ' +
    'immer nie wieder zum zur vom beim geht gehen kommt kommen macht machen ja nein mir mich dir dich uns ihm ihn ' +
    'dann da doch jetzt zwischen diese dieser dieses vielen dank es gibt wollen sehen ganz etwas wenig',
  fr:
    'le la les un une des du de et est à au aux en dans que qui ne pas je tu il elle nous vous ils elles on ce ' +
    'cette ces cet se sa son ses mon ma mes ton ta tes notre votre leur leurs pour par avec sans sous sur mais ou ' +
    'où donc car si quand comme plus moins très bien aussi tout tous toute toutes être avoir été suis es sommes ' +
    'êtes sont était étaient ai as avons avez ont avait fait faire va vais vont aller peut pouvez voudrais veux ' +
    "veut bonjour bonsoir merci oui non aujourd'hui demain hier matin midi soir jour nuit année temps ici là " +
    "encore toujours jamais chez entre après avant depuis y dit deux trois rien quelque même sera est ai c' j' d' " +
    "l' qu' n' s' m' t' combien ça quoi",
  es:
    'el la los las un una unos unas de del y es en que no se por con para su sus al lo como más pero o si me mi ' +
    'mis tu te le les nos nuestro nuestra yo él ella usted ustedes ellos ellas nosotros está están son era eran ' +
    'ser estar fue fueron ha han he hay había tiene tienen tengo hacer hace puede puedo quiero quisiera va voy ' +
    'van vamos muy bien también todo todos toda todas este esta estos estas ese esa eso esto aquí allí donde ' +
    'cuando porque qué quién cómo sin sobre entre hasta desde hoy mañana ayer día noche tarde año tiempo hola ' +
    'gracias favor sí buenos buenas dos tres siempre nunca ya cuánto cuánta cuesta llega dónde noches tardes',
  it:
    'il lo la i gli le un uno una di del della dei delle dello degli e è in che non si per con a al alla ai alle ' +
    'da dal dalla nel nella nei sul sulla su ma o se come più mi mio mia ti tuo suo sua ci vi noi voi loro io tu ' +
    'lui lei essere avere sono sei siamo siete era erano ha ho hai hanno abbiamo aveva fare fa può posso vorrei ' +
    'voglio va vado vanno molto bene anche tutto tutti questa questo questi queste quello quella qui dove quando ' +
    'perché chi cosa senza sopra tra fra fino oggi domani ieri giorno notte sera mattina anno tempo ciao grazie ' +
    'sì due tre sempre mai già ogni ancora dopo quanto quanta costa buongiorno buonasera mille arriva stazione ' +
    "lei vuole dov' l' d' dell' all' nell' un' c'",
  pt:
    'o a os as um uma uns umas de do da dos das e é em no na nos nas que não se por com para seu sua seus suas ao ' +
    'aos à como mais mas ou me meu minha te teu lhe eu ele ela você vocês eles elas nós está estão são era eram ' +
    'ser estar foi foram há tem têm tenho tinha fazer faz pode posso quero queria vai vou vão muito bem também ' +
    'tudo todos toda todas este esta isso isto esse essa aqui ali onde quando porque quem sem sobre entre até ' +
    'desde hoje amanhã ontem dia noite tarde manhã ano tempo olá obrigado obrigada sim dois três sempre nunca já ' +
    'pelo pela num numa bom boa quanto quanta custa obrigado chega tarde boa',
  nl:
    'de het een en van is in op te dat niet ik je hij zij ze we wij jullie u met voor aan er om als ook maar of ' +
    'wat wie waar hoe dan nog naar bij uit door over onder zonder tot na tegen zijn was waren wordt worden werd ' +
    'heeft hebben had kan kunnen moet moeten zal zou wil wilt graag mijn jouw haar hun ons onze geen al heel zeer ' +
    'veel meer hier daar vandaag morgen gisteren dag avond nacht jaar tijd goed goede bedankt dank alstublieft ja ' +
    'nee deze dit die altijd nooit weer gaat gaan komt komen maakt doen doet mij hem goedemorgen goedenavond ' +
    'hartelijk wij kost',
  sv:
    'och att det i en ett är som på av för med inte den de jag du han hon vi ni till från har hade om men så var ' +
    'när där här hur vad vem varför kan ska skulle vill måste min mitt mina din sin sitt sina vår vårt deras mig ' +
    'dig oss dem eller efter över under utan mellan mot vid även också mycket mer bara alla allt något någon ' +
    'ingen idag imorgon igår dag kväll natt år tid bra tack hej ja nej blir blev går kommer gör finns alltid ' +
    'aldrig igen sedan nu vara god morgon tåget ligger klockan kostar',
  da:
    'og at det i en et er som på af for med ikke den de jeg du han hun vi til fra har havde om men så var når der ' +
    'her hvor hvad hvem hvorfor hvordan kan skal skulle vil må min mit mine din sin sit sine vores deres mig dig ' +
    'os dem eller efter over under uden mellem mod ved også meget mere kun alle alt noget nogen ingen dag aften ' +
    'nat år tid godt tak hej ja nej bliver blev går kommer gør findes altid aldrig igen siden nu være været hende ' +
    'ham fordi',
  no:
    'og at det i en et er som på av for med ikke den de jeg du han hun vi dere til fra har hadde om men så var ' +
    'når der her hvor hva hvem hvorfor hvordan kan skal skulle vil må min mitt mine din sin sitt sine vår vårt ' +
    'deres meg deg oss dem eller etter over under uten mellom mot ved også mye mer bare alle alt noe noen ingen ' +
    'dag kveld natt år tid bra takk hei ja nei blir ble går kommer gjør finnes alltid aldri igjen siden nå være ' +
    'vært henne ham fordi ei',
  pl:
    'i w na z do się nie że to jest o jak za od po przez przy pod nad bez dla ale czy co kto gdzie kiedy dlaczego ' +
    'ja ty on ona ono my wy oni mnie mi ci go mu jej ich nas nam was ten ta te tego tej tym tych są był była było ' +
    'były będzie być mam masz ma mamy mają może mogę można chcę chciałbym chciałabym proszę dziękuję dzień dobry ' +
    'dobrze tak bardzo też już jeszcze tylko więc oraz lub albo dziś dzisiaj jutro wczoraj rano wieczorem noc rok ' +
    'czas tu tam zawsze nigdy między u we ze swój która który które jego ile kosztuje chce nie ma',
  cs:
    'a v na s se je to že do z o k i jak za od po při pod nad bez pro ale co kdo kde kdy proč já ty on ona my vy ' +
    'oni mě mi ho mu jí jich nás nám vás ten ta to toho té tím těch jsou byl byla bylo byli bude být mám máš má ' +
    'máme mají může mohu chci chtěl bych prosím děkuji dobrý dobře den ano ne velmi také už ještě jen tedy nebo ' +
    'dnes zítra včera ráno večer noc rok čas tady tam vždy nikdy mezi u ve ze svůj která který které jeho jsem ' +
    'jsi jsme nebyl není',
  fi:
    'ja on ei se että hän minä sinä me te he olen olet olemme ovat oli olivat olla mutta tai kun jos niin kuin ' +
    'myös vain vielä nyt sitten tämä tuo nämä ne mikä mitä kuka missä milloin miksi miten minun sinun hänen ' +
    'meidän teidän heidän kanssa ilman jälkeen ennen yli alla hyvin paljon enemmän kaikki joka jokin tänään ' +
    'huomenna eilen päivä ilta yö vuosi aika hyvää kiitos hei kyllä voi pitää haluan menee tulee aina koskaan ' +
    'täällä siellä en et emme ole sen sitä',
  hu:
    'a az és hogy nem is egy van ez azt de meg csak már még ha el ki be le fel mint vagy mert mi ki hol mikor ' +
    'miért hogyan én te ő ők nekem neked vele ezt ezek azok volt voltak lesz lenni lehet kell akarok szeretnék ' +
    'kérek köszönöm jó napot igen nagyon sok több minden mindig soha ma holnap tegnap reggel este éjszaka év idő ' +
    'itt ott után előtt között nélkül alatt felett kell vannak pedig majd most akkor',
  ro:
    'și de la în a nu o un cu pe care este sunt că se din pentru ce mai ca dar sau dacă cum unde când cine eu tu ' +
    'el ea noi voi ei ele meu mea mei tău său sa lor al ale ai am are avem aveți au era erau fi fost fost poate ' +
    'pot vreau aș vrea trebuie foarte bine și tot toate toți acest această acesta aceasta aici acolo fără sub ' +
    'peste între până după azi mâine ieri zi seara noapte an timp bună mulțumesc da doi trei mereu niciodată',
  tr:
    've bir bu da de için ile çok ne o ben sen biz siz onlar var yok değil mi mı mu mü gibi kadar daha en her şey ' +
    'ama veya çünkü nasıl nerede nereye neden kim hangi bana sana ona bize size benim senin onun bizim sizin olan ' +
    'olarak oldu olur olacak ise sonra önce üzerinde altında arasında bugün yarın dün sabah akşam gece gün yıl ' +
    'zaman merhaba teşekkür ederim lütfen evet hayır iyi şimdi burada orada hiç zaten istiyorum gidiyorum geldi ' +
    'günaydın teşekkürler istemiyor gelmek geliyor gidiyor almak çocuklar değilim nasılsın',
  id:
    'yang dan di ke dari ini itu untuk dengan tidak adalah pada dalam akan ada saya kamu anda dia kami kita ' +
    'mereka bisa dapat harus sudah belum juga atau tetapi karena seperti apa siapa mana kapan bagaimana oleh ' +
    'sebagai lebih sangat hanya lagi semua setiap hari malam pagi tahun waktu selamat terima kasih tolong ya ' +
    'bukan telah saat orang',
  ca:
    'el la els les un una uns unes de del dels i és en que no es per amb al als com més però o si em el meu la ' +
    'meva jo ell ella nosaltres vostè són era eren ser estar està ha han hi va vaig molt bé també tot tots aquest ' +
    'aquesta això aquí on quan perquè què qui sense sobre entre fins avui demà ahir dia nit any temps hola ' +
    "gràcies sí dos tres sempre mai ja l' d' m' s' n'",
  hr:
    'i u na je da se ne za od s sa do po iz o kao što ali ili ako kada gdje tko zašto kako ja ti on ona mi vi oni ' +
    'mene meni ga mu joj ih nas nam vas taj ta to ovaj ova ovo su bio bila bilo bili bit će biti imam imaš ima ' +
    'imamo imaju može mogu želim htio bih molim hvala dobar dobro dan večer noć vrlo također već još samo danas ' +
    'sutra jučer godina vrijeme ovdje tamo uvijek nikad između bez pri sam si smo ste nije koji koja koje',
});

/** Languages that share a word share its weight. */
const LANGUAGES_OF_WORD = new Map<string, string[]>();
for (const [language, words] of Object.entries(COMMON_WORDS)) {
  for (const word of new Set(words.split(' '))) {
    const known = LANGUAGES_OF_WORD.get(word);
    if (known === undefined) LANGUAGES_OF_WORD.set(word, [language]);
    else known.push(language);
  }
}

export interface WordEvidence {
  /** Weight of each language, the heaviest first: 1 for a word that no other language has. */
  weights: readonly (readonly [language: string, weight: number])[];
  /** Words of the text, and how many of them a language has. */
  words: number;
  knownIn(language: string): number;
  /** Different words of two letters or more that a language has: single letters are also names of things in code. */
  differentIn(language: string): number;
}

const WORD = /\p{L}+(?:['’]\p{L}+)*/gu;

/** Elided articles and pronouns count apart: l'eau, j'ai, dell'arte. */
const ELISION = /^(\p{L}{1,5})['’](\p{L}{2,})$/u;

/** Which language the common words of a text belong to. */
export function weighCommonWords(text: string): WordEvidence {
  const weights = new Map<string, number>();
  const counts = new Map<string, number>();
  const different = new Map<string, Set<string>>();
  const words = (text.toLowerCase().match(WORD) ?? []).flatMap(elidedWordParts);
  for (const word of words) {
    const languages = LANGUAGES_OF_WORD.get(word) ?? [];
    for (const language of languages) {
      weights.set(language, (weights.get(language) ?? 0) + 1 / languages.length);
      counts.set(language, (counts.get(language) ?? 0) + 1);
      if (word.length > 1) different.set(language, (different.get(language) ?? new Set()).add(word));
    }
  }
  const ranked = [...weights].sort(([, a], [, b]) => b - a);
  return {
    weights: ranked,
    words: words.length,
    knownIn: (language) => counts.get(language) ?? 0,
    differentIn: (language) => different.get(language)?.size ?? 0,
  };
}

/** Whether the common words of a language are known here. */
export function hasCommonWords(language: string): boolean {
  return language in COMMON_WORDS;
}

function elidedWordParts(word: string): string[] {
  const straight = word.replaceAll('’', "'");
  if (LANGUAGES_OF_WORD.has(straight)) return [straight];
  const elided = ELISION.exec(straight);
  return elided === null ? [straight] : [`${elided[1]}'`, elided[2] ?? ''];
}
