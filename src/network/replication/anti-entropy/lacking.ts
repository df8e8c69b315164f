// Captures that depend on contents which their receiver lacks: they must be sent whole.
//
// Many may depend on the same content: revisits of one image, for example. So a few are sent whole, and the others are tried
// again as they are, before more are sent whole.

const portionMin = 8

/** `send` gives those that are still lacking. What it gives of whole ones cannot be had at all: so does this. */
export async function sendLacking(
  lacking: readonly Uint8Array[],
  send: (keys: readonly Uint8Array[], isWhole: boolean) => Promise<Uint8Array[]>,
): Promise<Uint8Array[]> {
  const unobtainable: Uint8Array[] = []
  let portion = portionMin
  let rest = await send(lacking, false)
  while (rest.length > 0) {
    unobtainable.push(...(await send(rest.slice(0, portion), true)))
    const others = rest.slice(portion)
    rest = others.length > 0 ? await send(others, false) : []
    // Where each rests on another, trying again is in vain.
    portion = rest.length < others.length ? portionMin : 2 * portion
  }
  return unobtainable
}
