// What scripts put into the bar above a replayed page, and into lists of versions.

import { messagesOf } from '../language/message.ts'

export const barTexts = messagesOf({
  en: {
    copy: 'Copy link',
    copied: 'Copied',
    copyByHand: 'Copy it from the address bar',
    capturedWhole: 'captured whole',
    notCaptured: { one: '{count} part not captured', other: '{count} parts not captured' },
    account: {
      one: 'A browser captured this page. It asked for {count} part: {kept} kept, {refused} refused, {failed} failed.',
      other:
        'A browser captured this page. It asked for {count} parts: {kept} kept, {refused} refused, {failed} failed.',
    },
    fateRefused: 'refused',
    fateFailed: 'failed',
    verifying: 'It is being verified …',
    notFoundOut: 'That could not be found out now.',
    seenAlike: 'Seen alike by {peers}.',
    sawOther: 'Saw something else: {peers}.',
    and: ' and ',
    notSigned: 'Nobody signed this version: who captured it is not proven.',
    capturedVerified: 'Captured by {peer}: verified.',
    importedVerified: 'Imported by {peer}: verified.',
    capturedWrong: 'It says: captured by {peer}. That is WRONG: what is shown is not what they signed.',
    importedWrong: 'It says: imported by {peer}. That is WRONG: what is shown is not what they signed.',
    older: '{duration} older',
    newer: '{duration} newer',
    partsOlder: 'Parts are up to {older}',
    partsBoth: 'Parts are up to {older} or {newer}',
    thanPage: ' than the page itself: it may never have looked just like this',
    missing: { one: '{count} part missing', other: '{count} parts missing' },
    missingOrMore: { one: '{count} part or more missing', other: '{count} parts or more missing' },
  },
  de: {
    copy: 'Kopieren',
    copied: 'Kopiert',
    copyByHand: 'Aus der Adresszeile kopieren',
    capturedWhole: 'ganz aufgenommen',
    notCaptured: { one: '{count} Teil nicht aufgenommen', other: '{count} Teile nicht aufgenommen' },
    account: {
      one: 'Ein Browser hat diese Seite aufgenommen. Sie forderte {count} Teil an: {kept} aufbewahrt, {refused} abgelehnt, {failed} fehlgeschlagen.',
      other:
        'Ein Browser hat diese Seite aufgenommen. Sie forderte {count} Teile an: {kept} aufbewahrt, {refused} abgelehnt, {failed} fehlgeschlagen.',
    },
    fateRefused: 'abgelehnt',
    fateFailed: 'fehlgeschlagen',
    verifying: 'Wird geprüft …',
    notFoundOut: 'Das ließ sich jetzt nicht herausfinden.',
    seenAlike: 'Ebenso gesehen von {peers}.',
    sawOther: 'Etwas anderes sahen: {peers}.',
    and: ' und ',
    notSigned: 'Niemand hat diese Version signiert: Wer sie aufgenommen hat, ist nicht belegt.',
    capturedVerified: 'Aufgenommen von {peer}: geprüft.',
    importedVerified: 'Importiert von {peer}: geprüft.',
    capturedWrong:
      'Angegeben ist: aufgenommen von {peer}. Das ist FALSCH: Gezeigt wird nicht, was signiert wurde.',
    importedWrong:
      'Angegeben ist: importiert von {peer}. Das ist FALSCH: Gezeigt wird nicht, was signiert wurde.',
    older: '{duration} älter',
    newer: '{duration} neuer',
    partsOlder: 'Teile sind bis zu {older}',
    partsBoth: 'Teile sind bis zu {older} oder {newer}',
    thanPage: ' als die Seite selbst: So hat sie vielleicht nie ausgesehen',
    missing: { one: '{count} Teil fehlt', other: '{count} Teile fehlen' },
    missingOrMore: { one: '{count} Teil oder mehr fehlen', other: '{count} Teile oder mehr fehlen' },
  },
})
