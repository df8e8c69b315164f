// What the script of the console’s tree says.

import { messagesOf } from '../language/message.ts'

export const treeTexts = messagesOf({
  en: {
    forgotten: 'What was before is not shown any more: close and open the list to begin again',
    isItRunning: 'This peer does not answer. Is it running?',
  },
  de: {
    forgotten:
      'Was davor war, wird nicht mehr gezeigt: Schließen und öffnen Sie die Liste, um neu zu beginnen',
    isItRunning: 'Dieser Peer antwortet nicht. Läuft er?',
  },
})
