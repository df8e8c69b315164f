// What the script that sends archives says.

import { messagesOf } from '../language/message.ts'

export const uploadTexts = messagesOf({
  en: {
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
  },
  de: {
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
  },
})
