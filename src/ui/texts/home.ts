// The home page.

import { messagesOf } from '../language/message.ts'

export const homeTexts = messagesOf({
  en: {
    title: 'Polyhistor: the web, as it was',
    hero: 'The web, as it was.',
    emptyOwner:
      'This archive is empty so far. Type the address of the first page to keep: it is fetched at once, with all it needs.',
    empty: 'This archive is empty so far. The first page that is archived will appear here.',
    leadSearchOwner:
      'Type the address of a page, or words that stand in it: read it as it was kept, or archive it now and watch.',
    leadSearch: 'Type the address of a page, or words that stand in it: read it as it was kept.',
    leadOwner: 'Type the address of a page: read it as it was kept, or archive it now and watch.',
    lead: 'Type the address of a page: read it as it was kept.',
    addressOrWords: 'Address of a page, or words to look for',
    address: 'Address of a page',
    orWords: ', or words',
    beginnings: 'Or begin with what you have',
    bookmarks: 'Bookmarks, or a list',
    bookmarksLabel: 'Bookmarks of a browser, OPML, a feed, a sitemap, or one address a line',
    archiveThem: 'Archive them',
    anArchive: 'An archive',
    aNetwork: 'A network',
    keepWithOthers: 'Keep an archive with others. With their invitation:',
    beginNetwork: 'Or begin one:',
    demo: 'The demo',
    demoWords: 'Five peers and a little web on this machine, to see what it is like:',
    findIt: 'Find it',
    totals: 'This archive keeps {captures}, {original} of pages on {onDisk} of disk.',
    totalsOfPeer: 'This peer keeps {captures}, {original} of pages on {onDisk} of disk.',
    moreFigures: 'More figures',
    keptLast: 'Kept last',
    keptLastByPeer: 'Kept last by this peer',
    how: 'How it works',
    everyVersion: 'Every version, once',
    everyVersionWords:
      'A page is kept whenever it changes; what did not change is not stored again. Everything lies in plain WARC files that outlive this program.',
    asItWas: 'As it was',
    asItWasWords:
      'Pages are replayed with their images, styles and scripts of the same time, shut off from the live web. Nothing you read here tells anybody that you read it.',
    sideBySide: 'Side by side',
    sideBySideWords: 'Any two versions can be compared: words, links and looks.',
    forPrograms: 'For programs too',
    forProgramsWords:
      "<interfaces>Memento, CDX and an API</interfaces> answer at the same address. A page's address here is <code>/web/<i>time</i>/<i>address</i></code>, all its versions are at <code>/web/*/<i>address</i></code>, all pages that start alike at <code>/web/*/<i>address</i>*</code>.",
  },
  de: {
    title: 'Polyhistor: das Web, wie es war',
    hero: 'Das Web, wie es war.',
    emptyOwner:
      'Dieses Archiv ist noch leer. Geben Sie die Adresse der ersten Seite ein, die aufbewahrt werden soll: Sie wird sofort abgerufen, mit allem, was sie braucht.',
    empty: 'Dieses Archiv ist noch leer. Die erste archivierte Seite erscheint hier.',
    leadSearchOwner:
      'Geben Sie die Adresse einer Seite ein oder Wörter, die darin stehen: Lesen Sie die Seite, wie sie aufbewahrt wurde, oder archivieren Sie sie jetzt und sehen Sie dabei zu.',
    leadSearch:
      'Geben Sie die Adresse einer Seite ein oder Wörter, die darin stehen: Lesen Sie die Seite, wie sie aufbewahrt wurde.',
    leadOwner:
      'Geben Sie die Adresse einer Seite ein: Lesen Sie die Seite, wie sie aufbewahrt wurde, oder archivieren Sie sie jetzt und sehen Sie dabei zu.',
    lead: 'Geben Sie die Adresse einer Seite ein: Lesen Sie die Seite, wie sie aufbewahrt wurde.',
    addressOrWords: 'Adresse einer Seite oder gesuchte Wörter',
    address: 'Adresse einer Seite',
    orWords: ' oder Wörter',
    beginnings: 'Oder beginnen Sie mit dem, was Sie haben',
    bookmarks: 'Lesezeichen oder eine Liste',
    bookmarksLabel: 'Lesezeichen eines Browsers, OPML, ein Feed, eine Sitemap oder eine Adresse je Zeile',
    archiveThem: 'Archivieren',
    anArchive: 'Ein Archiv',
    aNetwork: 'Ein Netz',
    keepWithOthers: 'Betreiben Sie ein Archiv mit anderen. Mit deren Einladung:',
    beginNetwork: 'Oder gründen Sie eines:',
    demo: 'Die Vorführung',
    demoWords: 'Fünf Peers und ein kleines Web auf diesem Rechner, um zu sehen, wie das ist:',
    findIt: 'Finden',
    totals: 'Dieses Archiv bewahrt {captures} auf: {original} an Seiten auf {onDisk} Plattenplatz.',
    totalsOfPeer: 'Dieser Peer bewahrt {captures} auf: {original} an Seiten auf {onDisk} Plattenplatz.',
    moreFigures: 'Weitere Zahlen',
    keptLast: 'Zuletzt aufbewahrt',
    keptLastByPeer: 'Zuletzt von diesem Peer aufbewahrt',
    how: 'So funktioniert es',
    everyVersion: 'Jede Version, einmal',
    everyVersionWords:
      'Eine Seite wird aufbewahrt, sooft sie sich ändert; was gleich blieb, wird nicht noch einmal gespeichert. Alles liegt in einfachen WARC-Dateien, die dieses Programm überdauern.',
    asItWas: 'Wie es war',
    asItWasWords:
      'Seiten werden mit ihren Bildern, Stilen und Skripten derselben Zeit wiedergegeben, abgeschottet vom heutigen Web. Nichts, was Sie hier lesen, verrät jemandem, dass Sie es lesen.',
    sideBySide: 'Nebeneinander',
    sideBySideWords: 'Je zwei Versionen lassen sich vergleichen: Wörter, Links und Aussehen.',
    forPrograms: 'Auch für Programme',
    forProgramsWords:
      '<interfaces>Memento, CDX und eine API</interfaces> antworten unter derselben Adresse. Eine Seite steht hier unter <code>/web/<i>Zeit</i>/<i>Adresse</i></code>, alle ihre Versionen unter <code>/web/*/<i>Adresse</i></code>, alle Seiten, die gleich beginnen, unter <code>/web/*/<i>Adresse</i>*</code>.',
  },
})
