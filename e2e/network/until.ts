// Waits for what must come to be, no longer than a slow machine could need, and says what did not come.

const waitMsMax = 300_000
const pauseMs = 500

/** `is`: whether it has come; a string is what there is instead, for the report. */
export async function until(what: string, is: () => Promise<boolean | string>): Promise<void> {
  const endMs = performance.now() + waitMsMax
  for (;;) {
    const found = await is()
    if (found === true) return
    if (performance.now() > endMs) {
      const instead = found === false ? '' : ` There is: ${found}`
      throw new Error(`Waited ${waitMsMax / 1_000} s for ${what}.${instead}`)
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
