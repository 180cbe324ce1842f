/** Fifty short sentences in each of ten languages, as people type them to hear them read. */
const LINES: Readonly<Record<string, string>> = {
  en: `The shop opens at nine.|My sister lives in Berlin.|Can you help me?|It was raining all night.|Please close the window.
I have lost my keys.|What time is it?|She bought two red apples.|We are late again.|The soup is too hot.
Thank you very much.|He works in a hospital.|Do you like music?|The children sleep already.|Tomorrow is a holiday.
I don't understand you.|Where did you put it?|The train is full.|This book is new.|Nobody knows the answer.
Good evening, ladies and gentlemen.|Wait for me here.|Our neighbour has a black dog.|They never came back.|How much does it cost?
The meeting starts in ten minutes.|You look tired today.|I would like some coffee.|Happy birthday, Anna!|Everything is fine.
The water is cold.|Who wrote this letter?|Let us go home.|He speaks five languages.|The door is open.
She sings very well.|I am hungry.|My phone is broken.|They live near the sea.|Don't forget your umbrella.
The film was boring.|We need more time.|His car is in the garage.|It snows in winter.|Call me later.
That is a good idea.|I was born in Paris.|The museum is closed on Mondays.|Keep calm.|See you next week.`,
  de: `Der Laden öffnet um neun.|Meine Schwester wohnt in Berlin.|Kannst du mir helfen?|Es hat die ganze Nacht geregnet.|Bitte mach das Fenster zu.
Ich habe meine Schlüssel verloren.|Wie spät ist es?|Sie kaufte zwei rote Äpfel.|Wir sind wieder zu spät.|Die Suppe ist zu heiß.
Vielen herzlichen Dank.|Er arbeitet in einem Krankenhaus.|Magst du Musik?|Die Kinder schlafen schon.|Morgen ist ein Feiertag.
Ich verstehe dich nicht.|Wo hast du es hingelegt?|Der Zug ist voll.|Dieses Buch ist neu.|Niemand kennt die Antwort.
Guten Abend, meine Damen und Herren.|Warte hier auf mich.|Unser Nachbar hat einen schwarzen Hund.|Sie kamen nie zurück.|Wie viel kostet das?
Die Sitzung beginnt in zehn Minuten.|Du siehst heute müde aus.|Ich möchte einen Kaffee.|Alles Gute zum Geburtstag, Anna!|Alles ist gut.
Das Wasser ist kalt.|Wer hat diesen Brief geschrieben?|Gehen wir nach Hause.|Er spricht fünf Sprachen.|Die Tür ist offen.
Sie singt sehr schön.|Ich habe Hunger.|Mein Handy ist kaputt.|Sie wohnen am Meer.|Vergiss deinen Schirm nicht.
Der Film war langweilig.|Wir brauchen mehr Zeit.|Sein Auto steht in der Garage.|Im Winter schneit es.|Ruf mich später an.
Das ist eine gute Idee.|Ich wurde in Paris geboren.|Montags ist das Museum geschlossen.|Bleib ruhig.|Bis nächste Woche.`,
  fr: `Le magasin ouvre à neuf heures.|Ma sœur habite à Berlin.|Peux-tu m'aider ?|Il a plu toute la nuit.|Ferme la fenêtre, s'il te plaît.
J'ai perdu mes clés.|Quelle heure est-il ?|Elle a acheté deux pommes rouges.|Nous sommes encore en retard.|La soupe est trop chaude.
Merci beaucoup.|Il travaille dans un hôpital.|Aimes-tu la musique ?|Les enfants dorment déjà.|Demain est un jour férié.
Je ne te comprends pas.|Où l'as-tu mis ?|Le train est plein.|Ce livre est nouveau.|Personne ne connaît la réponse.
Bonsoir, mesdames et messieurs.|Attends-moi ici.|Notre voisin a un chien noir.|Ils ne sont jamais revenus.|Combien ça coûte ?
La réunion commence dans dix minutes.|Tu as l'air fatigué aujourd'hui.|Je voudrais un café.|Joyeux anniversaire, Anna !|Tout va bien.
L'eau est froide.|Qui a écrit cette lettre ?|Rentrons à la maison.|Il parle cinq langues.|La porte est ouverte.
Elle chante très bien.|J'ai faim.|Mon téléphone est cassé.|Ils habitent près de la mer.|N'oublie pas ton parapluie.
Le film était ennuyeux.|Nous avons besoin de plus de temps.|Sa voiture est au garage.|Il neige en hiver.|Appelle-moi plus tard.
C'est une bonne idée.|Je suis né à Paris.|Le musée est fermé le lundi.|Reste calme.|À la semaine prochaine.`,
  es: `La tienda abre a las nueve.|Mi hermana vive en Berlín.|¿Puedes ayudarme?|Llovió toda la noche.|Cierra la ventana, por favor.
He perdido mis llaves.|¿Qué hora es?|Compró dos manzanas rojas.|Llegamos tarde otra vez.|La sopa está demasiado caliente.
Muchas gracias.|Trabaja en un hospital.|¿Te gusta la música?|Los niños ya duermen.|Mañana es fiesta.
No te entiendo.|¿Dónde lo pusiste?|El tren está lleno.|Este libro es nuevo.|Nadie sabe la respuesta.
Buenas noches, damas y caballeros.|Espérame aquí.|Nuestro vecino tiene un perro negro.|Nunca volvieron.|¿Cuánto cuesta?
La reunión empieza en diez minutos.|Hoy pareces cansado.|Quisiera un café.|¡Feliz cumpleaños, Ana!|Todo está bien.
El agua está fría.|¿Quién escribió esta carta?|Vamos a casa.|Habla cinco idiomas.|La puerta está abierta.
Canta muy bien.|Tengo hambre.|Mi teléfono está roto.|Viven cerca del mar.|No olvides tu paraguas.
La película era aburrida.|Necesitamos más tiempo.|Su coche está en el garaje.|En invierno nieva.|Llámame más tarde.
Es una buena idea.|Nací en París.|El museo cierra los lunes.|Mantén la calma.|Hasta la semana que viene.`,
  it: `Il negozio apre alle nove.|Mia sorella vive a Berlino.|Puoi aiutarmi?|Ha piovuto tutta la notte.|Chiudi la finestra, per favore.
Ho perso le mie chiavi.|Che ore sono?|Ha comprato due mele rosse.|Siamo di nuovo in ritardo.|La zuppa è troppo calda.
Grazie mille.|Lavora in un ospedale.|Ti piace la musica?|I bambini dormono già.|Domani è festa.
Non ti capisco.|Dove l'hai messo?|Il treno è pieno.|Questo libro è nuovo.|Nessuno sa la risposta.
Buonasera, signore e signori.|Aspettami qui.|Il nostro vicino ha un cane nero.|Non sono mai tornati.|Quanto costa?
La riunione comincia tra dieci minuti.|Oggi sembri stanco.|Vorrei un caffè.|Buon compleanno, Anna!|Va tutto bene.
L'acqua è fredda.|Chi ha scritto questa lettera?|Andiamo a casa.|Parla cinque lingue.|La porta è aperta.
Canta molto bene.|Ho fame.|Il mio telefono è rotto.|Vivono vicino al mare.|Non dimenticare l'ombrello.
Il film era noioso.|Abbiamo bisogno di più tempo.|La sua macchina è in garage.|In inverno nevica.|Chiamami più tardi.
È una buona idea.|Sono nato a Parigi.|Il museo è chiuso il lunedì.|Stai calmo.|Alla prossima settimana.`,
  pt: `A loja abre às nove.|A minha irmã mora em Berlim.|Podes ajudar-me?|Choveu a noite toda.|Fecha a janela, por favor.
Perdi as minhas chaves.|Que horas são?|Ela comprou duas maçãs vermelhas.|Estamos atrasados outra vez.|A sopa está quente demais.
Muito obrigado.|Ele trabalha num hospital.|Você gosta de música?|As crianças já dormem.|Amanhã é feriado.
Não te entendo.|Onde o puseste?|O comboio está cheio.|Este livro é novo.|Ninguém sabe a resposta.
Boa noite, senhoras e senhores.|Espera por mim aqui.|O nosso vizinho tem um cão preto.|Eles nunca voltaram.|Quanto custa isso?
A reunião começa em dez minutos.|Hoje pareces cansado.|Eu queria um café.|Feliz aniversário, Ana!|Está tudo bem.
A água está fria.|Quem escreveu esta carta?|Vamos para casa.|Ele fala cinco línguas.|A porta está aberta.
Ela canta muito bem.|Estou com fome.|O meu telefone está partido.|Eles moram perto do mar.|Não te esqueças do guarda-chuva.
O filme era aborrecido.|Precisamos de mais tempo.|O carro dele está na garagem.|No inverno neva.|Liga-me mais tarde.
É uma boa ideia.|Nasci em Paris.|O museu fecha às segundas-feiras.|Fica calmo.|Até à próxima semana.`,
  nl: `De winkel gaat om negen uur open.|Mijn zus woont in Berlijn.|Kun je me helpen?|Het heeft de hele nacht geregend.|Doe het raam dicht, alsjeblieft.
Ik ben mijn sleutels kwijt.|Hoe laat is het?|Ze kocht twee rode appels.|We zijn weer te laat.|De soep is te heet.
Dank je wel.|Hij werkt in een ziekenhuis.|Hou je van muziek?|De kinderen slapen al.|Morgen is een feestdag.
Ik begrijp je niet.|Waar heb je het neergelegd?|De trein is vol.|Dit boek is nieuw.|Niemand weet het antwoord.
Goedenavond, dames en heren.|Wacht hier op mij.|Onze buurman heeft een zwarte hond.|Ze kwamen nooit terug.|Hoeveel kost het?
De vergadering begint over tien minuten.|Je ziet er moe uit vandaag.|Ik wil graag een koffie.|Gefeliciteerd met je verjaardag, Anna!|Alles is goed.
Het water is koud.|Wie heeft deze brief geschreven?|Laten we naar huis gaan.|Hij spreekt vijf talen.|De deur staat open.
Ze zingt heel mooi.|Ik heb honger.|Mijn telefoon is kapot.|Ze wonen aan zee.|Vergeet je paraplu niet.
De film was saai.|We hebben meer tijd nodig.|Zijn auto staat in de garage.|In de winter sneeuwt het.|Bel me later.
Dat is een goed idee.|Ik ben in Parijs geboren.|Het museum is op maandag gesloten.|Blijf rustig.|Tot volgende week.`,
  sv: `Affären öppnar klockan nio.|Min syster bor i Berlin.|Kan du hjälpa mig?|Det regnade hela natten.|Stäng fönstret, tack.
Jag har tappat mina nycklar.|Vad är klockan?|Hon köpte två röda äpplen.|Vi är sena igen.|Soppan är för varm.
Tack så mycket.|Han arbetar på ett sjukhus.|Tycker du om musik?|Barnen sover redan.|I morgon är det helgdag.
Jag förstår dig inte.|Var lade du den?|Tåget är fullt.|Den här boken är ny.|Ingen vet svaret.
God kväll, mina damer och herrar.|Vänta på mig här.|Vår granne har en svart hund.|De kom aldrig tillbaka.|Vad kostar det?
Mötet börjar om tio minuter.|Du ser trött ut i dag.|Jag skulle vilja ha en kaffe.|Grattis på födelsedagen, Anna!|Allt är bra.
Vattnet är kallt.|Vem skrev det här brevet?|Nu går vi hem.|Han talar fem språk.|Dörren är öppen.
Hon sjunger mycket bra.|Jag är hungrig.|Min telefon är trasig.|De bor nära havet.|Glöm inte ditt paraply.
Filmen var tråkig.|Vi behöver mer tid.|Hans bil står i garaget.|På vintern snöar det.|Ring mig senare.
Det är en bra idé.|Jag föddes i Paris.|Museet är stängt på måndagar.|Ta det lugnt.|Vi ses nästa vecka.`,
  pl: `Sklep otwiera się o dziewiątej.|Moja siostra mieszka w Berlinie.|Czy możesz mi pomóc?|Całą noc padał deszcz.|Zamknij okno, proszę.
Zgubiłem moje klucze.|Która jest godzina?|Kupiła dwa czerwone jabłka.|Znowu jesteśmy spóźnieni.|Zupa jest za gorąca.
Dziękuję bardzo.|On pracuje w szpitalu.|Czy lubisz muzykę?|Dzieci już śpią.|Jutro jest święto.
Nie rozumiem cię.|Gdzie to położyłeś?|Pociąg jest pełny.|Ta książka jest nowa.|Nikt nie zna odpowiedzi.
Dobry wieczór państwu.|Poczekaj tu na mnie.|Nasz sąsiad ma czarnego psa.|Oni nigdy nie wrócili.|Ile to kosztuje?
Spotkanie zaczyna się za dziesięć minut.|Wyglądasz dziś na zmęczonego.|Poproszę kawę.|Wszystkiego najlepszego, Anno!|Wszystko jest dobrze.
Woda jest zimna.|Kto napisał ten list?|Chodźmy do domu.|On mówi w pięciu językach.|Drzwi są otwarte.
Ona śpiewa bardzo dobrze.|Jestem głodny.|Mój telefon jest zepsuty.|Mieszkają blisko morza.|Nie zapomnij parasola.
Film był nudny.|Potrzebujemy więcej czasu.|Jego samochód stoi w garażu.|Zimą pada śnieg.|Zadzwoń do mnie później.
To jest dobry pomysł.|Urodziłem się w Paryżu.|Muzeum jest zamknięte w poniedziałki.|Zachowaj spokój.|Do zobaczenia za tydzień.`,
  da: `Butikken åbner klokken ni.|Min søster bor i Berlin.|Kan du hjælpe mig?|Det regnede hele natten.|Luk vinduet, tak.
Jeg har mistet mine nøgler.|Hvad er klokken?|Hun købte to røde æbler.|Vi er forsinkede igen.|Suppen er for varm.
Mange tak.|Han arbejder på et hospital.|Kan du lide musik?|Børnene sover allerede.|I morgen er det helligdag.
Jeg forstår dig ikke.|Hvor lagde du den?|Toget er fyldt.|Denne bog er ny.|Ingen kender svaret.
Godaften, mine damer og herrer.|Vent på mig her.|Vores nabo har en sort hund.|De kom aldrig tilbage.|Hvad koster det?
Mødet begynder om ti minutter.|Du ser træt ud i dag.|Jeg vil gerne have en kaffe.|Tillykke med fødselsdagen, Anna!|Alt er godt.
Vandet er koldt.|Hvem skrev dette brev?|Lad os gå hjem.|Han taler fem sprog.|Døren er åben.
Hun synger meget smukt.|Jeg er sulten.|Min telefon er gået i stykker.|De bor tæt på havet.|Glem ikke din paraply.
Filmen var kedelig.|Vi har brug for mere tid.|Hans bil står i garagen.|Om vinteren sner det.|Ring til mig senere.
Det er en god idé.|Jeg er født i Paris.|Museet er lukket om mandagen.|Tag det roligt.|Vi ses i næste uge.`,
};

export const SHORT_SENTENCES: readonly (readonly [language: string, sentence: string])[] = Object.entries(
  LINES,
).flatMap(([language, lines]) => lines.split(/[|\n]/).map((sentence) => [language, sentence] as const));

/** Ten short sentences in each of ten languages that no rule and no list of words was chosen with. They judge. */
const JUDGING_LINES: Readonly<Record<string, string>> = {
  en: `Mind the gap between train and platform.|Grandpa fixed the old radio.
Turn the oven down a little.|Our flight got cancelled.|Somebody stole my bicycle.
Pour the milk slowly.|The bridge collapsed last autumn.|Smile for the camera!
Rent is due on Friday.|Two goals in one half.`,
  de: `Vorsicht an der Bahnsteigkante.|Opa hat das alte Radio repariert.|Dreh den Ofen etwas herunter.
Unser Flug wurde gestrichen.|Jemand hat mein Fahrrad gestohlen.|Gieß die Milch langsam ein.
Die Brücke stürzte im Herbst ein.|Lächeln für das Foto!|Die Miete wird am Freitag fällig.
Zwei Tore in einer Halbzeit.`,
  fr: `Attention à la marche en descendant du train.|Papi a réparé la vieille radio.
Baisse un peu le four.|Notre vol est annulé.|Quelqu'un a volé mon vélo.|Verse le lait doucement.
Le pont s'est effondré en automne.|Souriez pour la photo !|Le loyer tombe vendredi.
Deux buts en une mi-temps.`,
  es: `Cuidado con el escalón al bajar del tren.|El abuelo arregló la radio vieja.
Baja un poco el horno.|Cancelaron nuestro vuelo.|Alguien robó mi bicicleta.
Echa la leche despacio.|El puente se cayó en otoño.|¡Sonrían para la foto!
El alquiler vence el viernes.|Dos goles en un tiempo.`,
  it: `Attenzione al gradino scendendo dal treno.|Il nonno ha riparato la vecchia radio.
Abbassa un poco il forno.|Hanno cancellato il nostro volo.|Qualcuno ha rubato la mia bicicletta.
Versa il latte lentamente.|Il ponte è crollato in autunno.|Sorridete per la foto!
L'affitto scade venerdì.|Due gol in un tempo.`,
  pt: `Cuidado com o degrau ao descer do trem.|O vovô consertou o rádio velho.|Abaixe um pouco o forno.
Cancelaram o nosso voo.|Alguém roubou minha bicicleta.|Despeje o leite devagar.
A ponte caiu no outono.|Sorriam para a foto!|O aluguel vence na sexta-feira.
Dois gols em um tempo.`,
  nl: `Let op het opstapje bij het uitstappen.|Opa heeft de oude radio gemaakt.|Zet de oven wat lager.
Onze vlucht is geschrapt.|Iemand heeft mijn fiets gestolen.|Schenk de melk langzaam in.
De brug stortte in het najaar in.|Lach eens voor de foto!|De huur moet vrijdag betaald zijn.
Twee doelpunten in één helft.`,
  sv: `Se upp för avståndet mellan vagn och plattform.|Farfar lagade den gamla radion.
Sänk ugnen lite grann.|Vårt flyg ställdes in.|Någon har stulit min cykel.
Häll i mjölken långsamt.|Bron rasade i höstas.|Le mot kameran!|Hyran ska betalas på fredag.
Två mål i samma halvlek.`,
  pl: `Uwaga na stopień przy wysiadaniu.|Dziadek naprawił stare radio.|Przykręć trochę piekarnik.
Nasz lot odwołano.|Ktoś ukradł mój rower.|Wlej powoli mleko.|Most zawalił się jesienią.
Uśmiech do zdjęcia!|Czynsz płacimy w piątek.|Dwa gole w jednej połowie.`,
  da: `Pas på trinnet, når du står af toget.|Farfar reparerede den gamle radio.
Skru lidt ned for ovnen.|Vores fly blev aflyst.|Nogen har stjålet min cykel.
Hæld mælken langsomt i.|Broen styrtede sammen i efteråret.|Smil til kameraet!
Huslejen skal betales på fredag.|To mål i samme halvleg.`,
};

export const JUDGING_SENTENCES: readonly (readonly [language: string, sentence: string])[] = Object.entries(
  JUDGING_LINES,
).flatMap(([language, lines]) => lines.split(/[|\n]/).map((sentence) => [language, sentence] as const));
