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
  },
})
