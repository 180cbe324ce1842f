import { byName } from '../../src-server/platform/records.ts';

/** Everyday words by language, beside the common ones: what people say in short sentences. */
const EVERYDAY: Readonly<Record<string, string>> = byName({
  en:
    'hungry tired late early birthday evening phone broken window close please sings speaks languages ' +
    'everything everybody nobody knows answer question sister brother mother father friend neighbour dog cat letter ' +
    'meeting minutes coffee tea later yesterday already again together without children ladies gentlemen sleep ' +
    'sleeps ' +
    'have shall bring turn put take give send show tell ask find feel hear hold carry push pull throw catch break ' +
    'cut fill wash clean cook bake buy sell pay lose win begin finish happen remember forget learn teach build ' +
    'grow fall rise grandma grandpa uncle aunt cousin kitchen garden roof floor wall chair table bed lamp shirt ' +
    'shoes coat money price ticket bag box bottle cup knife fork plate milk bread butter cheese egg eggs meat ' +
    'fish apple apples salt sugar river lake mountain forest beach island flower tree bird horse cow rabbit ' +
    'spring summer autumn winter monday tuesday wednesday thursday friday saturday sunday seven eight nine ten ' +
    'twenty hundred',
  de:
    'regnet schneit kostet kennt kennen antwort frage spricht sprechen sprachen hunger durst ruhig bleib ' +
    'bleiben magst mag musik fenster ' +
    'schwester bruder mutter vater freund freunde nachbar hund katze kinder schlafen schläft arbeitet arbeiten ' +
    'wohnt wohnen kalt warm heiß teuer billig müde spät früh schnell langsam bald später niemand jemand jeder ' +
    'haus auto wasser brot kaffee zug bahnhof buch brief tür offen geschlossen woche monat heißt heiße glück schön ' +
    'nimm gib hol bring zeig sag frag lass leg stell setz mach geh komm hör schau warte hilf kauf verkauf bezahl ' +
    'verlieren gewinnen beginnen vergessen lernen bauen fallen fiel steigen stieg stiegen traf trug brach brachte ' +
    'nahm gab ging kam sah stand lag saß schrieb las lief rief zog bekam oma opa onkel tante küche garten dach ' +
    'boden wand stuhl tisch bett lampe hemd schuhe mantel geld preis preise fahrkarte tasche kiste flasche tasse ' +
    'messer gabel teller milch butter käse ei eier fleisch fisch apfel salz zucker fluss see berg wald strand ' +
    'insel blume baum vogel pferd kuh frühling sommer herbst winter montag dienstag mittwoch donnerstag freitag ' +
    'samstag sonntag sieben acht neun zehn zwanzig hundert darf dürfen halbe halb dünne klein ' +
    'kleine groß große lang kurz leise laut deine deinen meinen meinem seinen',
  fr:
    'enfants dorment dort déjà train plein livre nouveau nouvelle personne réponse question joyeux anniversaire ' +
    'parle parler langues reste calme aime aimes musique sœur frère mère père ami amis voisin chien travaille habite ' +
    "froid froide chaud chaude fatigué tard tôt vite bientôt quelqu'un maison voiture eau pain café gare porte " +
    'ouverte fermé semaine mois appelle viens allez faim soif heure heures beau belle jolie magasin près loin ' +
    'prends prenez donne donnez apporte montre dis demande laisse mets pose fais venez écoute regarde attends ' +
    'aide achète paye perdre gagner commencer oublier apprendre construire tomber monter prit vint mit vit fit ' +
    'dit tenait portait mamie papi oncle tante cuisine jardin toit sol mur chaise table lit lampe chemise ' +
    'chaussures manteau argent prix billet sac boîte bouteille tasse couteau fourchette assiette lait beurre ' +
    'fromage œuf œufs viande poisson pomme sel sucre rivière lac montagne forêt plage île fleur arbre oiseau ' +
    'cheval vache printemps été automne hiver lundi mardi mercredi jeudi vendredi samedi dimanche sept huit neuf ' +
    'dix vingt cent doucement lentement petit petite grand grande long longue court',
  es:
    'hermana hermano madre padre amigo amigos vecino perro gato niños duermen duerme vive viven trabaja trabajan ' +
    'habla hablan idiomas puedes ayudarme ayuda compró compra rojas rojo llegamos llegué otra otro vez gusta música ' +
    'entiendo entiende libro nuevo nueva nadie alguien sabe respuesta pregunta aquí espera volvieron reunión ' +
    'empieza feliz cumpleaños casa cerca lejos mar olvides paraguas película invierno verano buena bueno idea nací ' +
    'mantén calma frío fría caliente cansado tarde temprano pronto agua pan café calle puerta abierta cerrado semana ' +
    'toma tome coge dame deme trae traiga muestra dime deja pon haz ven oye mira paga perder ganar empezar ' +
    'olvidar aprender construir caer cayó subir subió tomó dio vino puso vio hizo dijo tenía llevaba abuela ' +
    'abuelo tío tía cocina jardín techo suelo pared silla mesa cama lámpara camisa zapatos abrigo dinero precio ' +
    'precios billete bolsa caja botella taza cuchillo tenedor plato leche mantequilla queso huevo huevos carne ' +
    'pescado manzana sal azúcar río lago montaña bosque playa isla flor árbol pájaro caballo vaca primavera otoño ' +
    'lunes martes miércoles jueves viernes sábado domingo siete ocho nueve diez veinte cien despacio pequeño ' +
    'pequeña grande largo corto media medio vamos',
  it:
    'sorella fratello madre padre amico amici vicino cane gatto bambini dormono dorme vive vivono vivo lavora ' +
    'lavorano parla parlano lingue puoi aiutarmi aiuto nessuno qualcuno risposta domanda aspettami aspetta buon ' +
    'compleanno andiamo casa fame sete mare inverno estate nevica piove stai sta calmo prossima settimana freddo ' +
    'fredda caldo stanco tardi presto acqua pane caffè strada porta aperta chiuso libro nuovo nuova nostro nostra ' +
    'capisco capisce piace musica macchina treno film idea buona nato ' +
    'prendi prenda dammi porti mostra dimmi chiedi lascia metti fai vieni senti guarda aiuta compra paga perdere ' +
    'vincere cominciare dimenticare imparare costruire cadere salire prese diede venne mise vide fece disse ' +
    'teneva portava nonna nonno zio zia cucina giardino tetto pavimento muro sedia tavolo letto lampada camicia ' +
    'scarpe cappotto soldi prezzo prezzi biglietto borsa scatola bottiglia tazza coltello forchetta piatto latte ' +
    'burro formaggio uovo uova carne pesce mela sale zucchero fiume lago montagna bosco spiaggia isola fiore ' +
    'albero uccello cavallo mucca primavera autunno lunedì martedì mercoledì giovedì venerdì sabato domenica ' +
    'sette otto nove dieci venti cento lentamente piccolo piccola grande lungo corto mezza mezzo',
  pt:
    'irmã irmão mãe pai amigo vizinho cão cachorro gato crianças dormem dorme mora moram trabalha trabalham fala ' +
    'falam línguas podes ajudar ajuda loja abre fecha janela perdi minhas meus chaves ninguém alguém sabe resposta ' +
    'pergunta feliz aniversário casa fome sede mar inverno verão neva chove nasci museu fica calmo semana ' +
    'próxima frio fria quente cansado atrasados vez água pão café rua porta aberta fechado livro novo nova nosso ' +
    'nossa entendo música carro comboio trem filme ideia dele dela deles estou estamos ficar precisamos hoje pareces ' +
    'pegue pega tome dê traga traz mostre diga pergunte deixe deixa ponha faça venha ouça olhe espere ajude ' +
    'compre pague perder ganhar começar esquecer aprender construir cair caiu subir subiu tomou deu veio pôs viu ' +
    'fez disse tinha levava vovó vovô avó avô tio tia cozinha jardim telhado chão parede cadeira mesa cama ' +
    'lâmpada camisa sapatos casaco dinheiro preço preços bilhete bolsa caixa garrafa xícara faca garfo prato ' +
    'leite manteiga queijo ovo ovos carne peixe maçã sal açúcar rio lago montanha floresta praia ilha flor árvore ' +
    'pássaro cavalo vaca primavera outono segunda terça quarta quinta sexta sábado domingo sete oito nove dez ' +
    'vinte cem devagar pequeno pequena grande longo curto meia meio vamos',
  nl:
    'kun kunt helpen kocht twee rode appels soep heet warm koud hou houden muziek kinderen slapen slaapt trein vol ' +
    'vergadering begint minuten film saai blijf blijven rustig bel later winter volgende week deur staat open dicht ' +
    'zus broer moeder vader vriend buurman hond kat woont wonen werkt werken spreekt talen vraag antwoord niemand ' +
    'iemand weet laat vroeg moe snel langzaam huis auto water brood koffie straat boek nieuw nieuwe mooi tot ' +
    'neem geef breng haal toon zeg leg zet maak doe ga kom hoor kijk wacht help koop betaal verliezen winnen ' +
    'beginnen vergeten leren bouwen vallen viel stijgen steeg stegen nam gaf bracht kwam zag deed zei stond lag ' +
    'zat schreef las liep riep oma opa oom tante keuken tuin dak daken vloer muur stoel tafel bed lamp overhemd ' +
    'schoenen jas geld prijs prijzen kaartje tas doos fles kopje mes vork bord melk boter kaas ei eieren vlees ' +
    'vis appel zout suiker rivier meer berg bos strand eiland bloem boom vogel paard koe lente zomer herfst ' +
    'maandag dinsdag woensdag donderdag vrijdag zaterdag zondag zeven acht negen tien twintig honderd klein ' +
    'kleine groot grote lang kort halve half alle zullen dunne mee',
  sv:
    'syster bror mor far vän granne hund katt barnen barn sover bor arbetar talar språk regnade natten tycker musik ' +
    'ingen någon vet svaret svar fråga kom tillbaka aldrig mötet börjar minuter trött grattis födelsedagen filmen ' +
    'var tråkig bil hans hennes står garaget ring senare lugnt ses nästa vecka havet nära hem nu kallt varmt sent ' +
    'tidigt snart vatten bröd kaffe gata dörren öppen stängt bok boken ny nya vår våra svart mycket jag är inte ' +
    'ta tag ge hämta visa säg låt lägg ställ gör gå hör titta vänta hjälp köp betala förlora vinna börja glömma ' +
    'lära bygga falla föll stiga steg tog gav såg gjorde sa stod låg satt skrev läste sprang ropade mormor farmor ' +
    'morfar farfar morbror farbror moster faster kök trädgård tak golv vägg stol bord säng lampa skjorta skor ' +
    'rock pengar pris priser priserna biljett väska låda flaska kopp kniv gaffel tallrik mjölk smör ost ägg kött ' +
    'fisk äpple salt socker flod sjö berg skog strand ö blomma träd fågel häst ko sommar höst vinter måndag ' +
    'tisdag onsdag torsdag fredag lördag söndag sju åtta nio tio tjugo hundra långsamt liten litet lilla stor ' +
    'stora lång kort halva halv alla ska genom utan deras sig och av från när efter innan under igen ut in upp ' +
    'ner åt bort',
  da:
    'søster bror mor far ven nabo hund kat børnene børn sover bor arbejder taler sprog regnede natten lide musik ' +
    'ingen nogen kender svaret svar spørgsmål kom tilbage aldrig mødet begynder minutter træt tillykke fødselsdagen ' +
    'filmen kedelig bil hans hendes garagen ring senere roligt ses næste uge havet tæt hjem nu koldt varmt sent ' +
    'tidligt snart vand vandet brød kaffe gade døren åben lukket bog bogen ny denne dette hvem hvad hvor ' +
    'skrev åbner ' +
    'mange tak lad sulten gerne god idé køb købte glem brug gået jeg ikke af noget nogle vinteren sner butikken ' +
    'tag tage giv hent vis sig spørg læg stil gør gå hør se vent hjælp betal tabe vinde begynde glemme lære bygge ' +
    'falde faldt stige steg tog gav så gjorde sagde stod lå sad læste løb råbte mormor farmor morfar farfar onkel ' +
    'tante køkken have gulv væg stol bord seng lampe skjorte sko frakke penge pris priser priserne billet taske ' +
    'kasse flaske kop kniv gaffel tallerken mælk smør ost æg kød fisk æble salt sukker flod sø bjerg skov strand ' +
    'ø blomst træ fugl hest ko forår sommer efterår vinter mandag tirsdag onsdag torsdag fredag lørdag søndag syv ' +
    'otte ni ti tyve hundrede langsomt lille små stor store lang kort halve halv alle skal gennem uden deres og ' +
    'fra når efter før under igen ud ind op ned væk blev',
  no:
    'søster bror mor far venn nabo hund katt barna barn sover bor jobber snakker språk regnet natten liker musikk ' +
    'ingen noen vet svaret spørsmål kom tilbake aldri møtet begynner minutter trøtt gratulerer bursdagen kjedelig ' +
    'bil garasjen ring senere rolig neste uke havet nær hjem nå kaldt varmt seint tidlig snart vann vannet brød ' +
    'kaffe gate døra åpen stengt bok boka ny denne dette hvem hva hvor skrev takk sulten gjerne av noe åpner',
  pl:
    'padał pada deszcz zgubiłem klucze kupiła kupił jabłka znowu jesteśmy spóźnieni rozumiem nikt zna odpowiedzi ' +
    'nasz sąsiad psa pies poproszę kawę chodźmy domu dom głodny mieszkają mieszka blisko morza zapomnij parasola ' +
    'potrzebujemy więcej czasu zachowaj spokój zobaczenia tydzień wszystkiego najlepszego zimą latem śnieg noc całą ' +
    'siostra brat matka ojciec dzieci śpią pracuje mówi językach pytanie zimna zimno gorąca późno wcześnie szybko ' +
    'weź daj przynieś pokaż powiedz zapytaj zostaw połóż postaw zrób idź chodź słuchaj patrz czekaj pomóż kup ' +
    'zapłać stracić wygrać zacząć zapomnieć uczyć budować spadać rosnąć wziął dał przyszedł położył widział ' +
    'zrobił stał leżał siedział pisał czytał babcia dziadek wujek ciocia kuchnia ogród dach dachy podłoga ściana ' +
    'krzesło stół łóżko lampa koszula buty płaszcz pieniądze cena ceny bilet torba pudełko butelka kubek nóż ' +
    'widelec talerz mleko masło ser jajko jajka mięso ryba jabłko sól cukier rzeka jezioro góra las plaża wyspa ' +
    'kwiat drzewo ptak koń krowa wiosna lato jesień zima poniedziałek wtorek środa czwartek piątek sobota ' +
    'niedziela siedem osiem dziewięć dziesięć dwadzieścia sto ktoś powoli mały mała duży duża długi krótki pół ' +
    'wszystkie proszę przez',
});

const LANGUAGES_OF = new Map<string, string[]>();
for (const [language, words] of Object.entries(EVERYDAY)) {
  for (const word of new Set(words.split(' '))) LANGUAGES_OF.set(word, [...(LANGUAGES_OF.get(word) ?? []), language]);
}

/** Letters that only these languages have, of those that a prompt may be in. */
const LETTERS: readonly (readonly [letters: RegExp, languages: readonly string[]])[] = [
  [/[ąęłńśźż]/u, ['pl']],
  [/ß/u, ['de']],
  [/[ñ¿¡]/u, ['es']],
  [/[ãõ]/u, ['pt']],
  [/[æø]/u, ['da', 'no']],
  [/å/u, ['sv', 'da', 'no']],
  [/[äö]/u, ['de', 'sv', 'fi', 'hu', 'et', 'tr', 'sk']],
  [/[çœêûîë]/u, ['fr', 'pt', 'tr']],
  [/[őű]/u, ['hu']],
  [/[ğşı]/u, ['tr']],
  [/[ěřů]/u, ['cs']],
];

const LETTERS_WEIGHT = 0.25;

/** How much the everyday words of a text, and its letters, speak for each language. */
export function weighEverydayWords(text: string): Record<'words' | 'letters', ReadonlyMap<string, number>> {
  const weights = { words: new Map<string, number>(), letters: new Map<string, number>() };
  const add = (kind: keyof typeof weights, language: string, weight: number) =>
    weights[kind].set(language, (weights[kind].get(language) ?? 0) + weight);
  const lower = text.toLowerCase();
  for (const word of lower.match(/\p{L}+/gu) ?? []) {
    const languages = LANGUAGES_OF.get(word) ?? [];
    for (const language of languages) add('words', language, 1 / languages.length);
  }
  for (const [letters, languages] of LETTERS) {
    if (letters.test(lower)) for (const language of languages) add('letters', language, LETTERS_WEIGHT);
  }
  return weights;
}
