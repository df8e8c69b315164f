// What several screens say.
//
// For translators. In each file of this folder English comes first and is the source; the other languages follow, with the same keys.
// `{name}` is filled in, `<name>…</name>` becomes a link or the like, and both have to be there in every language. A text that
// depends on a number has a form for each plural. Spaces at the ends of texts matter. What is missing or superfluous is a type error.
//
// German: Sie-Form, plain words. Glossary:
//   archive      Archiv, archivieren     capture      Aufnahme, aufnehmen
//   version      Version                 replay       wiedergeben, Wiedergabe
//   crawl        Crawl, crawlen          fetch        abrufen
//   keep         aufbewahren             copy         Kopie
//   peer         Peer                    network      Netz
//   site         Website                 host         Host
//   page         Seite                   address      Adresse
//   search       Suche, suchen           link         Link, verweisen
//   watch        Beobachtung             visit        Besuch
//   rule         Regel                   pause        anhalten (go on: fortsetzen)
//   owner        Eigentümer              volunteer    Helfer
//   take down    sperren, Sperrung       take in      übernehmen
//   volume       Band, Bände             queue        Warteschlange (also of a frontier)
//   rot          Schäden                 mend         reparieren
//   lease, ring, feed, webhook, token, console (Konsole) as they are

import { messagesOf } from '../language/message.ts'

export const sharedTexts = messagesOf({
  en: {
    changesFeed: 'Changes',
    skip: 'Skip to the content',
    archive: 'Archive',
    sites: 'Sites',
    crawls: 'Crawls',
    watches: 'Watches',
    status: 'Status',
    theArchive: 'The archive',
    addressOrWords: 'Address of a page, or words',
    addressPlaceholder: 'example.com, or words',
    read: 'Read',
    allVersionsButton: 'All versions',
    partialNotice:
      '<strong>This may not be all:</strong> some peers that may have more do not answer right now.',
    colophon: 'Polyhistor, a web archive that many people keep together. All times are UTC.',
    documentation: 'Documentation',
    feeds: 'Feeds',
    browserTools: 'Archive from your browser',
    settings: 'Settings',
    planLink: 'Plan an archive',
    console: 'Console',
    interfaces: 'Interfaces for programs',
    allVersions: 'all versions',
    pause: 'Pause',
    goOn: 'Go on',
    remove: 'Remove',
    notDone: '<strong>Not done:</strong> {mistake}',
    notChanged: '<strong>Not changed:</strong> {mistake}',
    captures: { one: '{count} capture', other: '{count} captures' },
    pages: { one: '{count} page', other: '{count} pages' },
    whatLinksHere: 'What links here',
    backToStart: 'Back to the start',
    andMore: 'and {number} more',
    archiveItNow: 'Archive it now',
    noAnswer: 'does not answer',
    moreThan: 'More than ',
  },
  de: {
    changesFeed: 'Änderungen',
    skip: 'Zum Inhalt springen',
    archive: 'Archiv',
    sites: 'Websites',
    crawls: 'Crawls',
    watches: 'Beobachtungen',
    status: 'Status',
    theArchive: 'Das Archiv',
    addressOrWords: 'Adresse einer Seite oder Wörter',
    addressPlaceholder: 'example.com oder Wörter',
    read: 'Lesen',
    allVersionsButton: 'Alle Versionen',
    partialNotice:
      '<strong>Das ist vielleicht nicht alles:</strong> Einige Peers, die mehr haben könnten, antworten gerade nicht.',
    colophon: 'Polyhistor, ein Webarchiv, das viele gemeinsam betreiben. Alle Zeiten sind UTC.',
    documentation: 'Dokumentation',
    feeds: 'Feeds',
    browserTools: 'Aus dem Browser archivieren',
    settings: 'Einstellungen',
    planLink: 'Ein Archiv planen',
    console: 'Konsole',
    interfaces: 'Schnittstellen für Programme',
    allVersions: 'alle Versionen',
    pause: 'Anhalten',
    goOn: 'Fortsetzen',
    remove: 'Entfernen',
    notDone: '<strong>Nicht ausgeführt:</strong> {mistake}',
    notChanged: '<strong>Nicht geändert:</strong> {mistake}',
    captures: { one: '{count} Aufnahme', other: '{count} Aufnahmen' },
    pages: { one: '{count} Seite', other: '{count} Seiten' },
    whatLinksHere: 'Was hierher verweist',
    backToStart: 'Zurück zum Anfang',
    andMore: 'und {number} weitere',
    archiveItNow: 'Jetzt archivieren',
    noAnswer: 'antwortet nicht',
    moreThan: 'Mehr als ',
  },
})
