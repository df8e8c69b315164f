// The button that archives what another page asked for: it can be pressed once somebody can have read what it would do.
//
// A hostile page may open ours under the pointer of somebody who clicks twice. Whenever our page comes to the front the button waits.

const waitMs = 700
const button = document.querySelector<HTMLButtonElement>('form.archive-request button')

let timer: ReturnType<typeof setTimeout> | undefined

function waitAnew(): void {
  if (button === null) return
  button.disabled = true
  clearTimeout(timer)
  if (document.visibilityState === 'visible') timer = setTimeout(() => (button.disabled = false), waitMs)
}

waitAnew()
document.addEventListener('visibilitychange', waitAnew)
window.addEventListener('focus', waitAnew)
