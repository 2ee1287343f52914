import { planRepair, type Progress, type RepairReport, type RepairStep, repairVolume } from "@kaas/storage";
import { counted } from "../output/shown.js";
import type { Style } from "../output/style.js";
import { type Action, EXIT } from "../session.js";

/** `repair [--apply] [--broker-is-gone NAME…]` */
export function repair(apply: boolean, gone: readonly string[]): Action {
  return async (session) => {
    const inspection = await session.inspect();
    const bar = session.progressBar();
    const options = { gone, progress: (progress: Progress): void => bar.update(progress) };
    let report: RepairReport;
    try {
      report = apply
        ? await repairVolume(inspection, session.surroundings.random, options)
        : await planRepair(inspection, options);
    } finally {
      await bar.clear();
    }
    const { steps, blockers } = report;
    await session.output.print({ applied: apply, steps, blockers }, () => {
      const lines = steps.map((step) => renderStep(step, session.style)).join("");
      const left = blockers.map((line) => `${session.style.severity("warning", "left alone")} ${line}\n`).join("");
      return `${lines}${left}${summary(steps, apply)}\n`;
    });
    const isDone = steps.every(({ failure }) => failure === undefined);
    return isDone && blockers.length === 0 ? EXIT.SOUND : EXIT.UNSOUND;
  };
}

function renderStep({ action, file, reason, failure }: RepairStep, style: Style): string {
  const outcome = failure === undefined ? "" : `\n    ${style.severity("error", "failed")}: ${failure}`;
  return `${action.padEnd(7)} ${style.bold(file)}\n    ${reason}${outcome}\n`;
}

function summary(steps: readonly RepairStep[], apply: boolean): string {
  if (steps.length === 0) return "nothing to repair";
  const failed = steps.filter(({ failure }) => failure !== undefined).length;
  if (apply) return `${counted(steps.length - failed, "step")} done${failed === 0 ? "" : `, ${failed} failed`}`;
  return `${counted(steps.length, "step")} to do; nothing has been changed. Run it again with --apply`;
}
