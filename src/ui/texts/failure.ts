// What went wrong, said to a reader.

import { messagesOf } from '../language/message.ts'

export const failureTexts = messagesOf({
  en: {
    notInArchive: '{url} is not in the archive',
    eyebrow: 'Not in the archive',
    nobodyYet: 'Nobody has archived this address here yet.',
    beFirst: 'You can be the first: it is fetched at once, with the images, styles and scripts it needs.',
    pagesBelow: 'Archived pages below it',
    pagesOf: 'Archived pages of {site}',
    livePage: 'Live page',
    didYouMean: 'Did you mean',
    lastArchived: 'last archived {when}',
    toBeginning: 'To the beginning',
    forKeeper: 'For whoever looks after this archive: {code}, {status}.',
    senseless: 'This address does not make sense here',
    ownerOnly: 'Only the owner may do that',
    nothingHere: 'There is nothing here',
    spent: 'This link is spent',
    otherName: 'Not under this name',
    takenDown: 'Taken down',
    notNow: 'Not just now',
    diskFull: 'The disk is full',
    wentWrong: 'Something went wrong',
    didNotWork: 'That did not work',
    codeNotArchived: 'Nothing of this address is in the archive.',
    codeTakenDown: 'This address was taken down: the archive does not show it.',
    codeLinkSpent:
      'This link was used already, or is more than an hour old. A new one is printed by: polyhistor link',
    codeNoDocs: 'The documentation has no such page.',
    codeNoJob: 'There is no such crawl here.',
    codeManyComparisons: 'Many pages are being compared already. Try again in a moment.',
    codeRequest: 'Something is missing in this request, or is not what it should be.',
    codeUrlEmpty: 'There is no address.',
    codeUrlMalformed:
      'This is no whole web address: it lacks http:// or https://, or its host or port is not valid.',
    codeUrlScheme: 'Only addresses with http and https can be archived.',
    codeUrlHost: 'This address cannot be fetched: no host is called so.',
    codeUrlLong: 'This address is too long.',
    codeReplayAddress:
      'Archived pages are at addresses such as /web/20200131120000/https://example.com/, with the time of the capture before the page.',
    codeReplayTime:
      'The time in this address is none: it has year, month, day, hour, minute and second, one after the other.',
    codeReplayDamaged: 'What was archived cannot be read whole.',
    codeNotHere: 'Archived scripts and styles work on the host for archived pages only.',
    codeUnavailable: 'No peer that keeps this could be reached. Try again later.',
    codeRouteUnknown: 'There is nothing at this address.',
    codeTokenMissing:
      'This is for the owner of the archive: open the link that <code>polyhistor peer</code> printed, or run <code>polyhistor link</code> on its machine.',
    codeTokenWrong: 'This is not the token of this archive.',
    codeForeignPage: 'Only the pages of this archive may change it.',
    codeHostUnknown:
      'This archive is not known under this name. Its owner can name it so with the settings <code>http.archiveOrigin</code> and <code>http.replayOrigin</code>.',
    codeSearchOff:
      'This peer keeps no search index, and nobody is there who could be asked. The setting <code>search.index</code> switches it on.',
    codeDiskFull: 'There is no room for it on the disk.',
  },
  de: {
    notInArchive: '{url} ist nicht im Archiv',
    eyebrow: 'Nicht im Archiv',
    nobodyYet: 'Noch hat niemand diese Adresse hier archiviert.',
    beFirst:
      'Machen Sie den Anfang: Die Seite wird sofort abgerufen, mit den Bildern, Stilen und Skripten, die sie braucht.',
    pagesBelow: 'Archivierte Seiten darunter',
    pagesOf: 'Archivierte Seiten von {site}',
    livePage: 'Heutige Seite',
    didYouMean: 'Meinten Sie',
    lastArchived: 'zuletzt archiviert am {when}',
    toBeginning: 'Zum Anfang',
    forKeeper: 'Für die, die sich um dieses Archiv kümmern: {code}, {status}.',
    senseless: 'Diese Adresse ergibt hier keinen Sinn',
    ownerOnly: 'Das darf nur der Eigentümer',
    nothingHere: 'Hier ist nichts',
    spent: 'Dieser Link ist verbraucht',
    otherName: 'Nicht unter diesem Namen',
    takenDown: 'Gesperrt',
    notNow: 'Gerade nicht',
    diskFull: 'Die Platte ist voll',
    wentWrong: 'Etwas ist schiefgegangen',
    didNotWork: 'Das hat nicht funktioniert',
    codeNotArchived: 'Von dieser Adresse ist nichts im Archiv.',
    codeTakenDown: 'Diese Adresse wurde gesperrt: Das Archiv zeigt sie nicht.',
    codeLinkSpent:
      'Dieser Link wurde schon benutzt oder ist älter als eine Stunde. Einen neuen gibt dieser Befehl aus: polyhistor link',
    codeNoDocs: 'Die Dokumentation hat keine solche Seite.',
    codeNoJob: 'Einen solchen Crawl gibt es hier nicht.',
    codeManyComparisons: 'Es werden schon viele Seiten verglichen. Versuchen Sie es gleich noch einmal.',
    codeRequest: 'In dieser Anfrage fehlt etwas, oder es ist nicht, was es sein soll.',
    codeUrlEmpty: 'Es fehlt die Adresse.',
    codeUrlMalformed:
      'Das ist keine ganze Webadresse: http:// oder https:// fehlt, oder der Hostname oder der Port ist ungültig.',
    codeUrlScheme: 'Nur Adressen mit http und https lassen sich archivieren.',
    codeUrlHost: 'Diese Adresse lässt sich nicht abrufen: So heißt kein Host.',
    codeUrlLong: 'Diese Adresse ist zu lang.',
    codeReplayAddress:
      'Archivierte Seiten haben Adressen wie /web/20200131120000/https://example.com/, mit dem Zeitpunkt der Aufnahme vor der Seite.',
    codeReplayTime:
      'Der Zeitpunkt in dieser Adresse ist keiner: Er besteht aus Jahr, Monat, Tag, Stunde, Minute und Sekunde hintereinander.',
    codeReplayDamaged: 'Was archiviert wurde, lässt sich nicht ganz lesen.',
    codeNotHere: 'Archivierte Skripte und Stile gibt es nur unter dem Hostnamen für archivierte Seiten.',
    codeUnavailable: 'Kein Peer, der dies aufbewahrt, war zu erreichen. Versuchen Sie es später noch einmal.',
    codeRouteUnknown: 'Unter dieser Adresse ist nichts.',
    codeTokenMissing:
      'Das ist dem Eigentümer des Archivs vorbehalten: Öffnen Sie den Link, den <code>polyhistor peer</code> ausgegeben hat, oder rufen Sie auf dessen Rechner <code>polyhistor link</code> auf.',
    codeTokenWrong: 'Das ist nicht das Token dieses Archivs.',
    codeForeignPage: 'Nur die Seiten dieses Archivs dürfen es ändern.',
    codeHostUnknown:
      'Dieses Archiv ist unter diesem Namen nicht bekannt. Sein Eigentümer kann ihn mit den Einstellungen <code>http.archiveOrigin</code> und <code>http.replayOrigin</code> festlegen.',
    codeSearchOff:
      'Dieser Peer führt keinen Suchindex, und es ist niemand da, der gefragt werden könnte. Die Einstellung <code>search.index</code> schaltet ihn ein.',
    codeDiskFull: 'Dafür ist auf der Platte kein Platz mehr.',
  },
})
