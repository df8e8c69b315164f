// What the console calls things that other layers name for programs: actions, states, kinds.

import type { ActionKind } from '../../console/action-request.ts'
import { printCount } from '../markup/amounts.ts'
import { type Html, html } from '../markup/html.ts'
import { consoleTexts } from '../texts/console.ts'
import { storageTexts } from '../texts/storage.ts'

const actions: Readonly<Record<ActionKind | 'undo', Html>> = {
  'add-site': consoleTexts.actionAddSite,
  reseed: consoleTexts.actionReseed,
  pause: consoleTexts.actionPause,
  resume: consoleTexts.actionResume,
  remove: consoleTexts.actionRemove,
  allow: consoleTexts.actionAllow,
  deny: consoleTexts.actionDeny,
  'revisit-every': consoleTexts.actionRevisitEvery,
  'revisit-now': consoleTexts.actionRevisitNow,
  'take-down': consoleTexts.actionTakeDown,
  move: consoleTexts.actionMove,
  scrub: consoleTexts.actionScrub,
  compact: consoleTexts.actionCompact,
  grant: consoleTexts.actionGrant,
  revoke: consoleTexts.actionRevoke,
  approve: consoleTexts.actionApprove,
  restart: consoleTexts.actionRestart,
  drain: consoleTexts.actionDrain,
  undo: consoleTexts.actionUndo,
}

/** Of the log, which may know more than this version does. */
export function actionWords(kind: string): Html {
  return Object.hasOwn(actions, kind) ? actions[kind as ActionKind] : html`${kind}`
}

export const visitStates = {
  planned: consoleTexts.statePlanned,
  'under-way': consoleTexts.stateUnderWay,
  stopped: consoleTexts.stateStopped,
} as const

export const accessWords = {
  allow: consoleTexts.accessAllow,
  deny: consoleTexts.accessDeny,
  pause: consoleTexts.accessPause,
} as const

export const volumeStates: Readonly<Record<string, Html>> = {
  active: storageTexts.volumeActive,
  sealed: storageTexts.volumeSealed,
}

/** As far as it was counted. */
export function atLeast(count: number, isMore: boolean): Html {
  return isMore ? consoleTexts.andMore({ number: count }) : printCount(count)
}
