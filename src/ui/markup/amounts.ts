// Numbers as people read them.

export function printCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:[0-9]{3})+$)/g, ',')
}

/** `1 capture`, `2 captures`, `1 copy`, `2 copies`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${printCount(count)} ${count === 1 ? one : many}`
}

const byteUnits = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB']

/** `15 kB`, `1.2 GB`: two digits that matter. */
export function printBytes(bytes: number): string {
  let amount = bytes
  let unit = 0
  while (amount >= 999.5 && unit < byteUnits.length - 1) {
    amount /= 1_000
    unit++
  }
  const shown = unit === 0 || amount >= 9.95 ? printCount(amount) : amount.toFixed(1)
  return `${shown} ${bytes === 1 ? 'byte' : byteUnits[unit]!}`
}

/** `34 %` */
export function printShare(part: number, whole: number): string {
  if (whole <= 0) return '0 %'
  const share = (100 * part) / whole
  return `${share > 0 && share < 1 ? '<1' : Math.round(share)} %`
}
