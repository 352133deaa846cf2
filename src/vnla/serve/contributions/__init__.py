"""What visitors typed and agreed to give: kept, withdrawn and exported."""
