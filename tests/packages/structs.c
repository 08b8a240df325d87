/* Prints the size of each struct of ilpatch.h that the NuGet package Ilpatch has as its own, and the offset of its last members: tests/packages/Use.cs
 * compares them with its own. */
#include <ilpatch.h>
#include <stdio.h>

#define SIZE(name, type)           printf("%s %zu\n", name, sizeof(struct type))
#define OFFSET(name, type, member) printf("%s %zu\n", name, offsetof(struct type, member))

int main(void)
{
    SIZE("Bytes", ilp_bytes);
    SIZE("Error", ilp_error);
    OFFSET("Error.Message", ilp_error, message);
    SIZE("AssemblyIdentity", ilp_assembly_name);
    OFFSET("AssemblyIdentity.Key", ilp_assembly_name, key);
    SIZE("Resolver", ilp_resolver);
    SIZE("Request", ilp_request);
    OFFSET("Request.ModuleNumber", ilp_request, module_number);
    OFFSET("Request.Embed", ilp_request, embed);
    OFFSET("Request.Symbols", ilp_request, symbols);
    OFFSET("Request.Threads", ilp_request, threads);
    SIZE("Report", ilp_report);
    SIZE("Sink", ilp_sink);
    SIZE("MethodResult", ilp_method_result);
    OFFSET("MethodResult.Rule", ilp_method_result, rule);
    OFFSET("MethodResult.Inspected", ilp_method_result, inspected);
    OFFSET("MethodResult.Boxed", ilp_method_result, boxed);
    OFFSET("MethodResult.Id", ilp_method_result, id);
    OFFSET("MethodResult.Body", ilp_method_result, body);
    SIZE("SymbolsInfo", ilp_symbols_info);
    SIZE("SymbolsLink", ilp_symbols_link);
    OFFSET("SymbolsLink.Checksum", ilp_symbols_link, checksum);
    SIZE("WriteOptions", ilp_write_options);
    OFFSET("WriteOptions.Link", ilp_write_options, link);
    SIZE("WriteInfo", ilp_write_info);
    OFFSET("WriteInfo.NativeCodeDropped", ilp_write_info, native_code_dropped);
    OFFSET("WriteInfo.StrongName", ilp_write_info, strong_name);
    OFFSET("WriteInfo.NotCompacted", ilp_write_info, not_compacted);
    SIZE("NativeFunction", ilp_native);
    return 0;
}
