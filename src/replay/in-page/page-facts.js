// What the server says of this page, in the attribute of the script element that loads us; the element goes again, for
// pages count their scripts.

const element = document.currentScript

/** { url, timestamp, capturedAt, capturedAtSeconds, modifier, archive, replay } */
export const facts = JSON.parse(element.dataset.polyhistor)
element.remove()

/** The page that the reader looks at, directly within the archive's own frame; others are frames of such a page. */
export const isReplayTop = window.parent === window.top
