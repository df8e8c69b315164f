// What kinds of change are called, in the stream view and by its script.

import type { ChangeKind } from '../../changes/change-event.ts'
import type { Html } from '../markup/html.ts'
import { streamTexts } from '../texts/stream.ts'

export const changeKindWords: Readonly<Record<ChangeKind, Html>> = {
  new: streamTexts.kindNew,
  changed: streamTexts.kindChanged,
  moved: streamTexts.kindMoved,
  gone: streamTexts.kindGone,
  back: streamTexts.kindBack,
}
