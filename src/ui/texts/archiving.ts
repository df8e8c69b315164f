// Asking for pages to be archived: forms that several screens have.

import { messagesOf } from '../language/message.ts'

export const archivingTexts = messagesOf({
  en: {
    scopePage: 'this page, with all it needs',
    scopePrefix: 'this page and those below it',
    scopeHost: 'the whole host',
    scopeSite: 'the whole site with its subdomains',
    howFar: 'How far',
    ownersOnly:
      'To archive and change things here, open the link that <code>polyhistor peer</code> printed, or run <code>polyhistor link</code> on its machine.',
    files: 'WARC, ARC or WACZ files',
    takeThemIn: 'Take them in',
    shareDone: 'Share of the file that is done',
    onMachine: 'Files on the machine of this archive are taken in where they lie:',
    takeInTitle: 'Take in archives',
    takeInWords:
      'What others have archived is kept here as what is crawled is: each content once, with the time at which it was captured.',
    toolsTitle: 'Archive from your browser',
    toolsWords: 'Two ways to archive the page that you are reading, without copying its address.',
    bookmark: 'A bookmark',
    drag: 'Drag this to the bar of bookmarks:',
    archiveThisPage: 'Archive this page',
    cannotDrag:
      'Where it cannot be dragged, make a bookmark of any page, and put this in place of its address:',
    bookmarkWords:
      'On any page, the bookmark opens this archive with the page’s address filled in, and you say whether to archive it. It knows no password: a page on which you use it learns where your archive is, and nothing else. Some sites forbid bookmarks of this kind; the extension works there, too.',
    extension: 'An extension',
    extensionWords:
      'For Chromium and Firefox: archives a page with one click, and tells how often it is archived already. It lies in <code>dist/extension-chromium</code> and <code>dist/extension-firefox</code> of the program. To connect it, run <code>polyhistor link</code> on the machine of this archive, and give the extension the link that is printed. It gets a key with which it can archive pages, and do nothing else; <code>polyhistor link --revoke</code> takes it back.',
    archiveThisPageQuestion: 'Archive this page?',
    fromBrowser: 'From your browser',
    ownerCan: 'Only the owner of this archive can do that.',
    versionsOfPage: 'Versions of this page',
    openAsOwner: 'Open this archive as its owner',
    oneTimeLink: 'One-time link',
    ownerWords: 'From then on this browser may archive pages and change things here. The link works once.',
    openArchive: 'Open the archive',
    logInTitle: 'Log in: {name}',
    logInAs: 'Log in as {name}',
    logInWords:
      'This is a browser on the machine of your archive. Log in to the sites that are to be archived as you see them, then press “Keep it”.',
    windowBack: 'Back',
    windowAddress: 'Address',
    windowGo: 'Go',
    windowKeep: 'Keep it',
    windowCancel: 'Cancel',
    windowScreen: 'The browser’s screen: click here to type',
    windowScripts: 'Scripts are needed to show this.',
    sending: 'Sending {file}: {share}',
    takingIn: 'Taking in {file}: {share}',
    notTakenIn: 'not taken in. {why}',
    tooLarge:
      'It has {size}, and this archive takes at most {most} now: by its setting http.uploadSize, and by the room on its disk. On its machine, polyhistor import takes files of any size.',
    cutOff:
      'The connection was cut, or the archive cannot be reached. What it has taken in stays: send the file again, and it goes on from there.',
    takenBefore: 'taken in before, to its end.',
    taken: { one: '{count} capture taken in', other: '{count} captures taken in' },
    known: { one: '{count} was here already', other: '{count} were here already' },
    damaged: {
      one: '{count} record is damaged and could not be read',
      other: '{count} records are damaged and could not be read',
    },
    seeArchived: 'See what is archived',
    isCommandRunning: 'The archive does not answer. Is the command still running?',
  },
  de: {
    scopePage: 'diese Seite mit allem, was sie braucht',
    scopePrefix: 'diese Seite und die darunter',
    scopeHost: 'der ganze Host',
    scopeSite: 'die ganze Website mit ihren Subdomains',
    howFar: 'Wie weit',
    ownersOnly:
      'Um hier zu archivieren und etwas zu ändern, öffnen Sie den Link, den <code>polyhistor peer</code> ausgegeben hat, oder führen Sie <code>polyhistor link</code> auf dessen Rechner aus.',
    files: 'WARC-, ARC- oder WACZ-Dateien',
    takeThemIn: 'Übernehmen',
    shareDone: 'Erledigter Anteil der Datei',
    onMachine: 'Dateien auf dem Rechner dieses Archivs werden dort übernommen, wo sie liegen:',
    takeInTitle: 'Archive übernehmen',
    takeInWords:
      'Was andere archiviert haben, wird hier so aufbewahrt wie Gecrawltes: jeder Inhalt einmal, mit der Zeit seiner Aufnahme.',
    toolsTitle: 'Aus dem Browser archivieren',
    toolsWords: 'Zwei Wege, die Seite zu archivieren, die Sie gerade lesen, ohne ihre Adresse zu kopieren.',
    bookmark: 'Ein Lesezeichen',
    drag: 'Ziehen Sie dies in die Lesezeichenleiste:',
    archiveThisPage: 'Diese Seite archivieren',
    cannotDrag:
      'Wo das Ziehen nicht geht, legen Sie ein Lesezeichen irgendeiner Seite an und setzen dies an die Stelle der Adresse:',
    bookmarkWords:
      'Auf jeder Seite öffnet das Lesezeichen dieses Archiv mit der Adresse der Seite, und Sie entscheiden, ob sie archiviert wird. Es kennt kein Passwort: Eine Seite, auf der Sie es benutzen, erfährt, wo Ihr Archiv ist, und sonst nichts. Manche Websites verbieten solche Lesezeichen; die Erweiterung funktioniert auch dort.',
    extension: 'Eine Erweiterung',
    extensionWords:
      'Für Chromium und Firefox: archiviert eine Seite mit einem Klick und sagt, wie oft sie schon archiviert ist. Sie liegt in <code>dist/extension-chromium</code> und <code>dist/extension-firefox</code> des Programms. Um sie zu verbinden, führen Sie <code>polyhistor link</code> auf dem Rechner dieses Archivs aus und geben der Erweiterung den ausgegebenen Link. Sie erhält einen Schlüssel, mit dem sie Seiten archivieren kann und sonst nichts; <code>polyhistor link --revoke</code> nimmt ihn zurück.',
    archiveThisPageQuestion: 'Diese Seite archivieren?',
    fromBrowser: 'Aus Ihrem Browser',
    ownerCan: 'Das kann nur, wem dieses Archiv gehört.',
    versionsOfPage: 'Versionen dieser Seite',
    openAsOwner: 'Dieses Archiv als Eigentümer öffnen',
    oneTimeLink: 'Einmal-Link',
    ownerWords:
      'Von da an darf dieser Browser hier Seiten archivieren und etwas ändern. Der Link gilt einmal.',
    openArchive: 'Archiv öffnen',
    logInTitle: 'Anmelden: {name}',
    logInAs: 'Anmelden als {name}',
    logInWords:
      'Dies ist ein Browser auf dem Rechner Ihres Archivs. Melden Sie sich bei den Websites an, die so archiviert werden sollen, wie Sie sie sehen, und drücken Sie dann „Behalten“.',
    windowBack: 'Zurück',
    windowAddress: 'Adresse',
    windowGo: 'Los',
    windowKeep: 'Behalten',
    windowCancel: 'Abbrechen',
    windowScreen: 'Der Bildschirm des Browsers: zum Tippen hier klicken',
    windowScripts: 'Dafür werden Skripte gebraucht.',
    sending: 'Sendet {file}: {share}',
    takingIn: 'Übernimmt {file}: {share}',
    notTakenIn: 'nicht übernommen. {why}',
    tooLarge:
      'Die Datei hat {size}, und dieses Archiv nimmt derzeit höchstens {most} an: nach seiner Einstellung http.uploadSize und nach dem Platz auf seiner Platte. Auf seinem Rechner nimmt polyhistor import Dateien jeder Größe.',
    cutOff:
      'Die Verbindung brach ab, oder das Archiv ist nicht erreichbar. Was es übernommen hat, bleibt: Senden Sie die Datei noch einmal, und es geht von dort weiter.',
    takenBefore: 'schon früher ganz übernommen.',
    taken: { one: '{count} Aufnahme übernommen', other: '{count} Aufnahmen übernommen' },
    known: { one: '{count} war schon hier', other: '{count} waren schon hier' },
    damaged: {
      one: '{count} Eintrag ist beschädigt und ließ sich nicht lesen',
      other: '{count} Einträge sind beschädigt und ließen sich nicht lesen',
    },
    seeArchived: 'Ansehen, was archiviert ist',
    isCommandRunning: 'Das Archiv antwortet nicht. Läuft der Befehl noch?',
  },
})
