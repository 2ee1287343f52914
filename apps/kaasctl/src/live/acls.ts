import { ACL_COLUMNS } from "../commands/acls.js";
import { renderTable } from "../output/table.js";
import type { Action } from "../session.js";
import { liveAcls } from "./facts/live-acls.js";
import { LiveReport } from "./live-report.js";

/** `acl ls [principal]`, by the brokers. */
export function listLiveAcls(principal: string | undefined): Action {
  return async (session) => {
    const report = new LiveReport();
    const all = await liveAcls(await session.connect(), report);
    const acls = principal === undefined ? all : all.filter((acl) => acl.principal === principal);
    await session.output.print({ acls, findings: [] }, () => renderTable(ACL_COLUMNS, acls, session.style));
    return report.end(session);
  };
}
