// Why addresses of a crawl were not kept, by the codes of crawl/jobs/job-outcome.ts.

import { reasonsByCode } from '../../crawl/jobs/job-outcome.ts'
import { messagesOf } from '../language/message.ts'

export const missingTexts = messagesOf({
  en: {
    ...reasonsByCode,
    other: 'it could not be fetched',
  },
  de: {
    'dns-not-found': 'der Name hat keine Adresse',
    'dns-failed': 'der Name ließ sich nicht nachschlagen',
    'connect-refused': 'der Server lehnte die Verbindung ab',
    'connect-failed': 'der Server war nicht erreichbar',
    'connect-timeout': 'der Server antwortete nicht rechtzeitig',
    'tls-failed': 'die gesicherte Verbindung kam nicht zustande',
    'head-too-large': 'die Antwort war nicht lesbar',
    'malformed-http': 'die Antwort war nicht lesbar',
    stalled: 'der Server hörte auf zu antworten',
    timeout: 'der Server antwortete nicht rechtzeitig',
    reset: 'der Server brach die Verbindung ab',
    'server-busy': 'der Server bat darum, später wiederzukommen',
    'host-down': 'der Server ist ausgefallen',
    'robots-unreachable': 'robots.txt ließ sich nicht lesen',
    robots: 'robots.txt erlaubt es nicht',
    'address-forbidden': 'die Adresse ist nicht erlaubt',
    noarchive: 'die Seite bittet darum, nicht archiviert zu werden',
    'type-not-wanted': 'dieser Typ war nicht gewünscht',
    'taken-down': 'es wurde gesperrt',
    method: 'ein Teil einer Seite würde bei seinem Server etwas ändern',
    form: 'ein Teil einer Seite sendet ein Formular',
    beacon: 'ein Teil einer Seite meldet seinem Server nur etwas',
    websocket: 'ein Teil einer Seite ist ein WebSocket',
    stream: 'ein Teil einer Seite hat kein Ende',
    'request-too-large': 'ein Teil einer Seite sendet zu viel',
    'page-limit': 'eine Seite verlangte mehr, als von einer aufbewahrt wird',
    'page-time': 'eine Seite bekam einen Teil nicht rechtzeitig',
    'out-of-turn': 'eine Seite bekam einen Teil nicht rechtzeitig',
    'out-of-scope': 'ein Teil einer Seite gehört nicht zum Crawl',
    'other-peer': 'ein anderer Peer soll es abrufen',
    'bad-url': 'es ist keine URL, die sich aufbewahren lässt',
    'page-crashed': 'der Browser stürzte ab, während er die Seite zeigte',
    'no-browser': 'es wurde ohne das aufbewahrt, was seine Skripte abrufen: Es gab keinen Browser',
    'rule-denied': 'eine Regel des Archivs schließt es aus',
    other: 'es ließ sich nicht abrufen',
  },
})
