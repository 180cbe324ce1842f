/** Everyday words by language, beside the common ones: what people say in short sentences. */
const EVERYDAY: Readonly<Record<string, string>> = {
  en:
    'hungry tired late early birthday evening phone broken window close please sings speaks languages ' +
    'everything everybody nobody knows answer question sister brother mother father friend neighbour dog cat letter ' +
    'meeting minutes coffee tea later yesterday already again together without children ladies gentlemen sleep sleeps',
  de:
    'regnet schneit kostet kennt kennen antwort frage spricht sprechen sprachen hunger durst ruhig bleib ' +
    'bleiben magst mag musik fenster ' +
    'schwester bruder mutter vater freund freunde nachbar hund katze kinder schlafen schläft arbeitet arbeiten ' +
    'wohnt wohnen kalt warm heiß teuer billig müde spät früh schnell langsam bald später niemand jemand jeder ' +
    'haus auto wasser brot kaffee zug bahnhof buch brief tür offen geschlossen woche monat heißt heiße glück schön',
  fr:
    'enfants dorment dort déjà train plein livre nouveau nouvelle personne réponse question joyeux anniversaire ' +
    'parle parler langues reste calme aime aimes musique sœur frère mère père ami amis voisin chien travaille habite ' +
    "froid froide chaud chaude fatigué tard tôt vite bientôt quelqu'un maison voiture eau pain café gare porte " +
    'ouverte fermé semaine mois appelle viens allez faim soif heure heures beau belle jolie magasin près loin',
  es:
    'hermana hermano madre padre amigo amigos vecino perro gato niños duermen duerme vive viven trabaja trabajan ' +
    'habla hablan idiomas puedes ayudarme ayuda compró compra rojas rojo llegamos llegué otra otro vez gusta música ' +
    'entiendo entiende libro nuevo nueva nadie alguien sabe respuesta pregunta aquí espera volvieron reunión ' +
    'empieza feliz cumpleaños casa cerca lejos mar olvides paraguas película invierno verano buena bueno idea nací ' +
    'mantén calma frío fría caliente cansado tarde temprano pronto agua pan café calle puerta abierta cerrado semana',
  it:
    'sorella fratello madre padre amico amici vicino cane gatto bambini dormono dorme vive vivono vivo lavora ' +
    'lavorano parla parlano lingue puoi aiutarmi aiuto nessuno qualcuno risposta domanda aspettami aspetta buon ' +
    'compleanno andiamo casa fame sete mare inverno estate nevica piove stai sta calmo prossima settimana freddo ' +
    'fredda caldo stanco tardi presto acqua pane caffè strada porta aperta chiuso libro nuovo nuova nostro nostra ' +
    'capisco capisce piace musica macchina treno film idea buona nato',
  pt:
    'irmã irmão mãe pai amigo vizinho cão cachorro gato crianças dormem dorme mora moram trabalha trabalham fala ' +
    'falam línguas podes ajudar ajuda loja abre fecha janela perdi minhas meus chaves ninguém alguém sabe resposta ' +
    'pergunta feliz aniversário casa fome sede mar inverno verão neva chove nasci museu fica calmo semana ' +
    'próxima frio fria quente cansado atrasados vez água pão café rua porta aberta fechado livro novo nova nosso ' +
    'nossa entendo música carro comboio trem filme ideia dele dela deles estou estamos ficar precisamos hoje pareces',
  nl:
    'kun kunt helpen kocht twee rode appels soep heet warm koud hou houden muziek kinderen slapen slaapt trein vol ' +
    'vergadering begint minuten film saai blijf blijven rustig bel later winter volgende week deur staat open dicht ' +
    'zus broer moeder vader vriend buurman hond kat woont wonen werkt werken spreekt talen vraag antwoord niemand ' +
    'iemand weet laat vroeg moe snel langzaam huis auto water brood koffie straat boek nieuw nieuwe mooi tot',
  sv:
    'syster bror mor far vän granne hund katt barnen barn sover bor arbetar talar språk regnade natten tycker musik ' +
    'ingen någon vet svaret svar fråga kom tillbaka aldrig mötet börjar minuter trött grattis födelsedagen filmen ' +
    'var tråkig bil hans hennes står garaget ring senare lugnt ses nästa vecka havet nära hem nu kallt varmt sent ' +
    'tidigt snart vatten bröd kaffe gata dörren öppen stängt bok boken ny nya vår våra svart mycket jag är inte',
  da:
    'søster bror mor far ven nabo hund kat børnene børn sover bor arbejder taler sprog regnede natten lide musik ' +
    'ingen nogen kender svaret svar spørgsmål kom tilbage aldrig mødet begynder minutter træt tillykke fødselsdagen ' +
    'filmen kedelig bil hans hendes garagen ring senere roligt ses næste uge havet tæt hjem nu koldt varmt sent ' +
    'tidligt snart vand vandet brød kaffe gade døren åben lukket bog bogen ny denne dette hvem hvad hvor skrev ' +
    'mange tak lad sulten gerne god idé køb købte glem brug gået jeg ikke af noget nogle vinteren sner butikken åbner',
  no:
    'søster bror mor far venn nabo hund katt barna barn sover bor jobber snakker språk regnet natten liker musikk ' +
    'ingen noen vet svaret spørsmål kom tilbake aldri møtet begynner minutter trøtt gratulerer bursdagen kjedelig ' +
    'bil garasjen ring senere rolig neste uke havet nær hjem nå kaldt varmt seint tidlig snart vann vannet brød ' +
    'kaffe gate døra åpen stengt bok boka ny denne dette hvem hva hvor skrev takk sulten gjerne av noe åpner',
  pl:
    'padał pada deszcz zgubiłem klucze kupiła kupił jabłka znowu jesteśmy spóźnieni rozumiem nikt zna odpowiedzi ' +
    'nasz sąsiad psa pies poproszę kawę chodźmy domu dom głodny mieszkają mieszka blisko morza zapomnij parasola ' +
    'potrzebujemy więcej czasu zachowaj spokój zobaczenia tydzień wszystkiego najlepszego zimą latem śnieg noc całą ' +
    'siostra brat matka ojciec dzieci śpią pracuje mówi językach pytanie zimna zimno gorąca późno wcześnie szybko',
};

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
