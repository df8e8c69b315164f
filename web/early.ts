// Loaded before the frame below it exists: keeps what the archived page says until frame.ts is there to hear it.
//
// A plain script, not a module, so that the browser waits for it; it must import nothing.

{
  const messagesMax = 20
  const early: MessageEvent[] = []
  addEventListener('message', (event) => {
    if (early.length < messagesMax) early.push(event)
  })
  Object.assign(window, { early })
}
