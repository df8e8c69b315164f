// The window in which the owner logs in to sites.

import { messagesOf } from '../language/message.ts'

export const profileWindowTexts = messagesOf({
  en: {
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
    kept: 'Kept. You can close this.',
    nothingKept: 'Nothing was kept. You can close this.',
    isCommandRunning: 'The archive does not answer. Is the command still running?',
  },
  de: {
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
    kept: 'Behalten. Sie können dies schließen.',
    nothingKept: 'Nichts wurde behalten. Sie können dies schließen.',
    isCommandRunning: 'Das Archiv antwortet nicht. Läuft der Befehl noch?',
  },
})
