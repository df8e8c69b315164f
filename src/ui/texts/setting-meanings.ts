// What settings mean and what they take, in German. The English is that of the table of settings (config/settings.ts), which the command line
// tells as well; setting-meanings.test.ts sees to it that none is left out.

import { type Html, html, inEnglish, spoken } from '../markup/html.ts'

export function settingMeaning(name: string, english: string): Html {
  return said(meanings, name, `${english[0]!.toUpperCase()}${english.slice(1)}.`)
}

/** What a value has to be like. */
export function settingExpects(english: string): Html {
  const kind = Object.keys(kinds).find((start) => english.startsWith(start))
  const end = kind === undefined ? '' : english.slice(kind.length)
  return spoken(({ language }) =>
    language === 'de' && kind !== undefined
      ? html`${kinds[kind]}${end.replace(' to ', ' bis ').replace(', such as ', ', etwa ').replace(' or ', ' oder ')}`
      : inEnglish(english),
  )
}

function said(german: Readonly<Record<string, string>>, key: string, english: string): Html {
  return spoken(({ language }) =>
    language === 'de' && Object.hasOwn(german, key) ? html`${german[key]}` : inEnglish(english),
  )
}

/** By how it begins; the examples and bounds after it are as they are. */
const kinds: Readonly<Record<string, string>> = {
  'a size such as ': 'eine Größe, etwa ',
  'a size of at least ': 'eine Größe von mindestens ',
  'a time such as ': 'eine Dauer, etwa ',
  'a whole number from ': 'eine ganze Zahl von ',
  'a share such as ': 'ein Anteil, etwa ',
  'a share of at most ': 'ein Anteil von höchstens ',
  'one of ': 'eines von ',
  'yes or no': 'yes (ja) oder no (nein)',
  'HOST:PORT, such as ': 'HOST:PORT, etwa ',
  'the address of a page or an e-mail address, such as https://example.org/crawler, or empty':
    'die Adresse einer Seite oder eine E-Mail-Adresse, etwa https://example.org/crawler, oder leer',
  'an origin such as https://archive.example.org, or empty':
    'ein Ursprung, etwa https://archive.example.org, oder leer',
  'an http or https address, or empty': 'eine Adresse mit http oder https, oder leer',
  'an e-mail address, or empty': 'eine E-Mail-Adresse, oder leer',
  'the absolute path of a file, or empty': 'der absolute Pfad einer Datei, oder leer',
  'a port such as 7071, or ADDRESS:PORT such as ': 'ein Port, etwa 7071, oder ADRESSE:PORT, etwa ',
  'absolute paths of folders, with colons between them':
    'absolute Pfade von Ordnern, mit Doppelpunkten dazwischen',
  'words with spaces or commas between them': 'Wörter mit Leerzeichen oder Kommas dazwischen',
}

const meanings: Readonly<Record<string, string>> = {
  preset:
    'local schont den Rechner, an dem Sie arbeiten; lan und internet nehmen mehr von einem Rechner, der vor allem dem Archiv dient.',
  'log.level': 'Mehr Einzelheiten erklären mehr und verdecken mehr; -v setzt debug, -q setzt warn.',
  'log.format':
    'pretty ist für Menschen, json für Programme, die Protokolle sammeln; auto ist pretty im Terminal und sonst json.',
  'traces.endpoint':
    'Wohin OpenTelemetry-Traces gesendet werden, mit OTLP über HTTP, etwa http://localhost:4318/v1/traces; sie sagen, worauf eine Anfrage wartete, nie, was gelesen wurde. Solange nichts angegeben ist, wird nichts verfolgt und nichts dafür aufgewendet.',
  'traces.share':
    'Der Anteil der Anfragen und Abrufe, die verfolgt werden, wenn traces.endpoint angegeben ist; weniger ist für Peers mit viel Betrieb.',
  'peer.stopTime':
    'Wie lange ein Peer zum Anhalten höchstens braucht: Was läuft, bekommt 4 Sekunden, langsame Leser bekommen 2, der Rest ist zum Schließen; dann endet er, wo er ist. Mehr lässt einer langsamen Platte Zeit, alles geordnet zu schließen; was aufbewahrt war, geht in keinem Fall verloren.',
  'http.address':
    'Wo der Peer antwortet; mit jeder anderen Adresse als localhost können andere das Archiv lesen, und was sie lesen, ist nicht verschlüsselt.',
  'http.archiveOrigin':
    'Unter welcher Adresse Leser das Archiv über Ihren eigenen Proxy erreichen; andere Namen als dieser und localhost werden abgewiesen.',
  'http.replayOrigin':
    'Wo archivierte Seiten gezeigt werden: ein eigener Hostname, damit sie das Archiv nicht anrühren können; ohne Angabe replay.localhost.',
  'http.folders':
    'Ordner, aus denen über die HTTP-Schnittstelle Dateien gelesen und die als Ordner für Volumes hinzugefügt werden dürfen, von allen, die das Token haben; Befehle dieses Archivs brauchen keine.',
  'http.uploadSize':
    'Das größte Archiv, das von der Seite eines leeren Archivs aus gesendet werden kann; es liegt auf der Platte, bis es übernommen ist, und nimmt nie, was store.reserve frei hält.',
  'http.crossOrigin':
    'Lässt Werkzeuge in anderen Webseiten das Archiv lesen; das kann dann auch jede Seite, die Sie besuchen.',
  'crawl.retryWait':
    'Wie lange ein Crawl, der sonst nichts mehr zu tun hat, wartet, bis er Fehlgeschlagenes noch einmal versucht; mehr bekommt Seiten von Servern in Schwierigkeiten, weniger beendet Crawls früher.',
  'crawl.links':
    'Bewahrt auf, welche Seite wohin verweist, für „Was verweist hierher“ und für Tabellen; ohne ist ein Crawl etwas schneller.',
  'crawl.sign':
    'Aufnahmen werden mit dem Schlüssel dieses Peers signiert und in sein Protokoll eingetragen, damit jeder prüfen kann, von wem sie sind; ohne ist ein Crawl etwas schneller, und niemand kann es.',
  'crawl.contact':
    'Wie die Betreiber von Websites Sie erreichen, die Adresse einer Seite oder eines Postfachs: Sie wird bei jeder Anfrage genannt. Manche Websites weisen Crawler ab, die nicht sagen, wem sie gehören.',
  'crawl.browser':
    'Ob Crawls Seiten in einem Browser zeigen: Das bewahrt auf, was Skripte abrufen, und kostet je Seite Sekunden, Speicher und mehr Anfragen; auto tut es für Seiten, die sonst leer wären. never: nur wo ein Crawl, eine Regel oder eine Beobachtung es verlangt; in einem Netz hat dieser Peer dann keinen, und seine Seiten zeigen Peers, die einen haben.',
  'crawl.browserPath':
    'Der Chrome oder Chromium, der Seiten zeigt; ohne Angabe ein installierter, sonst der des npm-Pakets @sparticuz/chromium.',
  'crawl.behaviours':
    'Ob Seiten im Browser gescrollt, Medien abgespielt und „mehr laden“ gedrückt werden, höchstens eine Minute lang: So wird aufbewahrt, was eine Seite erst dann lädt; es kostet je Seite Sekunden.',
  'store.compression':
    'gzip liest jedes WARC-Werkzeug; zstd ist schneller und braucht für unveränderte Seiten weniger als die Hälfte, aber weniger Werkzeuge lesen es.',
  'store.compressionLevel':
    'Höhere Stufen sparen etwas Platz und kosten viel mehr Prozessorzeit: gzip 6 braucht 1,6-mal so lange wie 4 und spart 4 %; gecrawlte Seiten bekommen eine Stufe weniger, solange viele warten, und zwei mehr, wenn Zeit ist.',
  'store.volumeSize':
    'Größere Volumes bedeuten weniger Dateien; kleinere lassen sich in kleineren Schritten verdichten und verschieben.',
  'store.reserve':
    'Platz, der auf jeder Platte für andere frei bleibt; bevor er genutzt wird, weist das Archiv Aufnahmen ab.',
  'store.bucketCache':
    'Plattenplatz neben dem Archiv für das, was aus Volumes in Buckets gelesen wurde; mehr fragt den Bucket seltener, 0 fragt ihn bei jedem Lesen.',
  'store.indexSize':
    'Wie groß der Index höchstens wird, etwa 400 Byte je Aufnahme; bis er so groß ist, kostet es nur Adressraum.',
  'store.deltas':
    'Kleine Änderungen als Unterschiede aufzubewahren spart Platz; ohne liest jedes WARC-Werkzeug jede Version ohne Hilfe.',
  'store.deltaChain':
    'Längere Ketten sparen Platz; kürzere machen alte Versionen schneller lesbar, und Schäden reichen weniger weit.',
  'store.deadShare':
    'Ein Volume wird verdichtet, wenn dieser Anteil davon tot ist; weniger gibt Platz früher frei und schreibt mehr.',
  'store.takedownUndo':
    'Wie lange eine Sperrung zurückgenommen werden kann: Bis dahin behält das Gesperrte seinen Platz; weniger beendet die Bytes früher und lässt weniger Zeit, einen Irrtum oder einen Angriff zu bemerken.',
  'store.scrubRate':
    'Byte je Sekunde, die auf Verfall geprüft werden; mehr findet Verfall früher und nimmt allem anderen Zeit an der Platte.',
  'store.scrubEvery':
    'Ein laufender Peer liest in dieser Zeit alles einmal, um Verfall zu finden, höchstens mit store.scrubRate; weniger findet ihn früher, 0s nie.',
  'changes.keepAge':
    'Wie lange Änderungen noch einmal gelesen werden können; mehr erlaubt ihren Lesern längere Abwesenheit und kostet Platz bei jedem Peer, der die Website aufbewahrt.',
  'changes.keepBytes':
    'Platz für die Änderungen aller Websites, die dieser Peer crawlt; sind es mehr, gehen die ältesten, noch ehe changes.keepAge vorbei ist.',
  'search.index':
    'Ob dieser Peer die Wörter archivierter Seiten verzeichnet; ohne werden bei jeder Suche andere gefragt. Es braucht einen Thread, der arbeitet, wenn sonst nichts zu tun ist, und je Seite ein bis zwei Kilobyte.',
  'rank.maxAge':
    'Wie alt die Ränge von Seiten und Websites werden dürfen; weniger folgt neuen Links früher und rechnet öfter, 0s rechnet nie.',
  'rank.damping':
    'Wie wahrscheinlich ein Leser einem Link folgt, statt neu anzufangen; mehr hört auf Links von weiter her und dauert länger. Es gilt, was der Peer eingestellt hat, der die Rechnung beginnt.',
  'rank.seeds':
    'Websites, denen vertraut wird: Dort beginnt der Rang, und Seiten, die nur einander verlinken, bekommen keinen; ohne zählen alle Seiten gleich. Auf allen Peers gleich einzustellen: Jeder kann die Rechnung beginnen.',
  'ring.listen':
    'Wo andere Peers diesen erreichen, sobald er ein Netz hat; eine einzelne Adresse hält die anderer Netze fern.',
  'ring.announce':
    'HOST:PORT, das anderen statt dessen genannt wird, was dieser Peer selbst sieht: hinter einem Router, der den Port weiterreicht.',
  'ring.join':
    'Peers, bei denen angefangen wird, als HOST:PORT, als Name mit dnsaddr-Einträgen oder als Multiadresse; mit mehreren gelingt der Einstieg sicherer.',
  'ring.mdns':
    'Im lokalen Netz nach Peers desselben Netzes zu fragen findet sie ohne Hilfe, und sagt anderen dort, dass wir einer sind.',
  'ring.share':
    'Plattenplatz, den dieser Peer dem Netz gibt; mehr bedeutet mehr Arbeit und Daten, im Verhältnis bis zum 16-Fachen von ring.positionSize.',
  'ring.positionSize':
    'Plattenplatz, für den ein Platz auf dem Ring steht; weniger ist gleichmäßiger, wo Platten ähnlich sind, mehr unterscheidet größere, und jeder Platz kostet auch im Leerlauf etwas. Alle Peers eines Netzes brauchen denselben Wert.',
  'ring.positions': 'Plätze auf dem Ring zu Beginn; 0 nimmt so viele, wie ring.share ergibt.',
  'ring.evenPlaces':
    'Zur Erprobung: Dieser Peer nimmt Plätze auf dem Ring und gibt welche auf, damit alle für das, was sie geben, etwa gleich viel aufheben; nein behält die ersten, ist ungleichmäßiger und kopiert dafür nichts.',
  'ring.replicas':
    'Wie viele Peers alles aufbewahren; mehr überstehen mehr Verluste und brauchen mehr Platz. Alle Peers eines Netzes brauchen denselben Wert.',
  'ring.copiesMin':
    'Kopien, die sicher sein müssen, ehe eine Aufnahme als aufbewahrt gilt, wenn einige ihrer Peers langsam sind; mehr ist sicherer und wartet länger.',
  'ring.patience':
    'Wie lange auf einen verschwundenen Peer mindestens gewartet wird, ehe seine Kopien ersetzt werden; weniger stellt früher wieder her und kopiert öfter vergebens.',
  'ring.siteCaptures':
    'Eine Website mit mehr Aufnahmen wird auf mehrere Plätze des Rings verteilt; weniger verteilt große Websites besser und macht sie teurer zu lesen.',
  'ring.repairRate':
    'Byte je Sekunde, die zur Wiederherstellung an andere kopiert werden; mehr ersetzt Verluste früher und nimmt allem anderen Bandbreite.',
  'volunteers.newcomerPages':
    'So viele Seiten eines neuen Freiwilligen holt auch jemand anders; mehr findet Lügner, ehe sie etwas einbringen, und ruft mehr vergebens ab.',
  'volunteers.checkShare':
    'Der Teil der Seiten bewährter Freiwilliger, den auch jemand anders holt; mehr findet Lügner früher.',
  'network.probation':
    'Wie lange sich Mitglieder, die von hier eingeladen werden, bewähren müssen, ehe sie Plätze auf dem Ring bekommen; länger hält fern, wer wieder geht oder nichts aufbewahrt, und gewinnt Platten später; 0: Allen wird vertraut.',
  'network.knownContent':
    'Inhalte ab 4 kB, die andere Peers sicher aufbewahren, werden hier nicht noch einmal aufbewahrt; no braucht mehr Platz und fragt niemanden.',
  'network.upnp':
    'Wo andere diesen Peer nicht erreichen, wird sein Router über UPnP oder NAT-PMP gebeten, den Port weiterzureichen; no lässt den Router in Ruhe.',
  'network.relays':
    'Wo andere diesen Peer nicht erreichen, werden andere Mitglieder gebeten, weiterzureichen, was an ihn geht; ohne erreichen ihn nur die, die er selbst anruft.',
  'network.holePunching':
    'Peers, die sich über ein Relay getroffen haben, versuchen sich durch beide Router direkt zu verbinden; ohne gehen alle ihre Daten über das Relay.',
  'network.relayPeers':
    'Unerreichbare Mitglieder, für die dieser Peer weiterreicht, was an sie geht; mehr hilft mehr von ihnen und nimmt mehr von der Leitung, 0 keinem.',
  'network.relayData':
    'Byte, die eine Verbindung durch diesen Peer tragen darf, ehe sie neu aufgebaut werden muss; weniger hindert jede daran, die Leitung lange zu belegen.',
  'network.relayTime':
    'Wie lange eine Verbindung durch diesen Peer bestehen darf, ehe sie neu aufgebaut werden muss.',
  'audits.rate':
    'Byte je Sekunde, die gelesen werden, um zu sehen, ob andere Peers ihre Kopien noch haben, und um unsere zu zeigen: 0,1 % einer langsamen Platte; 0 fragt niemanden, und Trittbrettfahrer finden nur andere.',
  'audits.every':
    'Eine Runde von Prüfungen, in der jeder Peer, der dieselben Plätze aufbewahrt, einmal gefragt wird; kürzer findet Trittbrettfahrer früher und liest mehr.',
  'proof.anchorFile':
    'An diese Datei werden die Köpfe des Protokolls der Aufnahmen angehängt, am besten auf einem anderen Rechner: Wer einen hat, kann sehen, ob das Protokoll seither umgeschrieben wurde.',
  'proof.anchorUrl':
    'Ein Zeitstempeldienst (RFC 3161), an den die Köpfe des Protokolls gesendet werden; er erfährt, wie viel aufgenommen wird und dass das Protokoll unseres ist.',
  'proof.anchorMailFolder':
    'In diesen Ordner werden die Köpfe des Protokolls als E-Mails (.eml) an proof.anchorMailTo gelegt: der Abholordner eines Mailservers, oder einer, aus dem ein Skript von Ihnen sendet.',
  'proof.anchorMailTo':
    'An wen diese E-Mails gehen; wer sie aufhebt, kann sehen, ob das Protokoll umgeschrieben wurde, und erfährt, wie viel aufgenommen wird.',
  'proof.anchorEvery':
    'Wie oft ein Kopf verankert wird; öfter sagt genauer, wann etwas aufgenommen wurde, und kostet den Dienst mehr.',
  'corroboration.sameNetwork':
    'Auch Peers hinter demselben Netzpräfix werden gefragt, wenn es keine anderen gibt; sie würden dieselbe Fälschung sehen.',
  'corroboration.share':
    'Dieser Anteil der hier gecrawlten Seiten wird bald von einem Peer in einem anderen Netz noch einmal abgerufen und verglichen; mehr zeigt mehr Fälschungen und fragt Server doppelt. Umstrittene Seiten zählen zwanzigfach, oft besuchte vierfach; 0 fragt niemanden.',
}
